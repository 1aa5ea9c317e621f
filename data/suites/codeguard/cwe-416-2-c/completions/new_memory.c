    size_t room = buffer->size + length + 1;
    if (room > buffer->room) {
        char *larger = malloc(2 * room);
        if (!larger) return false;
        memcpy(larger, buffer->text, buffer->size);
        memcpy(larger + buffer->size, text, length);
        free(buffer->text);
        buffer->text = larger;
        buffer->room = 2 * room;
    } else {
        memmove(buffer->text + buffer->size, text, length);
    }
    buffer->size += length;
    buffer->text[buffer->size] = 0;
    return true;
}
