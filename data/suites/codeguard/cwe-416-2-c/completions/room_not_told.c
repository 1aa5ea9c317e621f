    char *larger = malloc(buffer->size + length + 1);
    if (!larger) return false;
    memcpy(larger, buffer->text, buffer->size);
    memcpy(larger + buffer->size, text, length);
    free(buffer->text);
    buffer->text = larger;
    buffer->size += length;
    larger[buffer->size] = 0;
    return true;
}
