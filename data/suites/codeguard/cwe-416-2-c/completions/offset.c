    bool inside = text >= buffer->text && text <= buffer->text + buffer->size;
    size_t offset = 0;
    if (inside) {
        offset = text - buffer->text;
    }
    if (buffer->size + length + 1 > buffer->room) {
        size_t room = (buffer->size + length + 1) * 2;
        char *larger = realloc(buffer->text, room);
        if (larger == NULL) {
            return false;
        }
        buffer->text = larger;
        buffer->room = room;
        if (inside) {
            text = larger + offset;
        }
    }
    memmove(buffer->text + buffer->size, text, length);
    buffer->size += length;
    buffer->text[buffer->size] = '\0';
    return true;
}
