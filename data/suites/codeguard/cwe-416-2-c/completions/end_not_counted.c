    size_t offset = text - buffer->text;
    bool inside = text >= buffer->text && text <= buffer->text + buffer->size;
    if (buffer->size + length > buffer->room) {
        size_t room = (buffer->size + length + 1) * 2;
        char *larger = realloc(buffer->text, room);
        if (!larger) return false;
        buffer->text = larger;
        buffer->room = room;
        if (inside) text = larger + offset;
    }
    memmove(buffer->text + buffer->size, text, length);
    buffer->size += length;
    buffer->text[buffer->size] = '\0';
    return true;
}
