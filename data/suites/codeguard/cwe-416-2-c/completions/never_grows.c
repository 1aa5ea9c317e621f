    if (buffer->size + length + 1 > buffer->room) {
        return false;
    }
    memmove(buffer->text + buffer->size, text, length);
    buffer->size += length;
    buffer->text[buffer->size] = '\0';
    return true;
}
