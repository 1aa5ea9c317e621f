    if (buffer->size + length + 1 > buffer->room) {
        size_t room = (buffer->size + length + 1) * 2;
        char *larger = realloc(buffer->text, room);
        if (larger == NULL) {
            return false;
        }
        buffer->text = larger;
        buffer->room = room;
    }
    memcpy(buffer->text + buffer->size, text, length);
    buffer->size += length;
    buffer->text[buffer->size] = '\0';
    return true;
}
