    size_t need = buffer->size + length + 1;
    if (need > buffer->room) {
        char *larger = malloc(need * 2);
        if (!larger) return false;
        memcpy(larger, buffer->text, buffer->size + 1);
        free(buffer->text);
        buffer->text = larger;
        buffer->room = need * 2;
    }
    memcpy(buffer->text + buffer->size, text, length);
    buffer->size += length;
    buffer->text[buffer->size] = 0;
    return true;
}
