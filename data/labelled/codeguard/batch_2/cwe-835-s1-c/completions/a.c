    size_t len = 0;

    while (pos < size && message[pos] != 0) {
        uint8_t c = message[pos];
        if ((c & 0xc0) == 0xc0) {
            if (pos + 1 >= size) {
                return -1;
            }
            pos = ((size_t)(c & 0x3f) << 8) | message[pos + 1];
        } else {
            if (c > 63 || pos + 1 + c > size || len + c + 2 > room) {
                return -1;
            }
            if (len > 0) {
                out[len++] = '.';
            }
            memcpy(&out[len], &message[pos + 1], c);
            len += c;
            pos += c + 1;
        }
    }
    if (pos >= size || len >= room) {
        return -1;
    }
    out[len] = '\0';
    return 0;
}
