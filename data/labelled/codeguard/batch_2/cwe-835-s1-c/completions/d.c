    size_t used = 0;
    int jumps = 0;

    for (;;) {
        if (pos >= size)
            return -1;
        size_t length = message[pos];
        if ((length & 0xc0) == 0xc0) {
            if (pos + 1 >= size || ++jumps > 16)
                return -1;
            pos = (length & 0x3f) << 8 | message[pos + 1];
            continue;
        }
        if (length > 63 || length > size - pos - 1)
            return -1;
        if (length == 0)
            break;
        if (used + length + 2 > room)
            return -1;
        if (used > 0)
            out[used++] = '.';
        memcpy(out + used, message + pos + 1, length);
        used += length;
        pos += length + 1;
    }
    if (used >= room)
        return -1;
    out[used] = '\0';
    return 0;
}
