    char *p = out;
    char *end = out + room;

    while (pos < size) {
        unsigned length = message[pos];
        if (length == 0) {
            if (p == end)
                return -1;
            *p = '\0';
            return 0;
        }
        if (length >= 0xc0) {
            if (size - pos < 2)
                return -1;
            size_t target = (length & 0x3f) * 256u + message[pos + 1];
            if (target == pos || target >= size)
                return -1;
            pos = target;
            continue;
        }
        if (length > 63 || length >= size - pos || (size_t)(end - p) < length + 2)
            return -1;
        if (p != out)
            *p++ = '.';
        memcpy(p, message + pos + 1, length);
        p += length;
        pos += 1 + length;
    }
    return -1;
}
