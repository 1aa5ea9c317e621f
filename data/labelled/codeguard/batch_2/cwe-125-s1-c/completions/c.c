    size_t offset = 0;

    while (offset + 2 <= size) {
        uint8_t t = message[offset++];
        uint8_t l = message[offset++];
        if (t == tag) {
            *length = l;
            return message + offset;
        }
        if (offset + l > size)
            return NULL;
        offset += l;
    }
    return NULL;
}
