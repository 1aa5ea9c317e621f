    size_t pos = 0;
    while (size - pos >= 2) {
        uint8_t current = message[pos];
        size_t len = message[pos + 1];
        pos += 2;
        if (len > size - pos) {
            return NULL;
        }
        if (current == tag) {
            *length = len;
            return message + pos;
        }
        pos += len;
    }
    return NULL;
}
