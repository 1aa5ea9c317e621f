    size_t limit = size, n = 0;

    while (1) {
        if (pos >= size) return -1;
        uint8_t b = message[pos++];
        if (b == 0) break;
        if (b >= 0xc0) {
            if (pos >= size) return -1;
            size_t target = (size_t)(b - 0xc0) * 256 + message[pos];
            if (target >= limit || target >= pos - 1) return -1;
            limit = pos = target;
            continue;
        }
        if (b > 63 || size - pos < b || room < 1 || room - 1 - n < (size_t)b + 1) return -1;
        if (n) out[n++] = '.';
        while (b--) out[n++] = (char)message[pos++];
    }
    if (n >= room) return -1;
    out[n] = 0;
    return 0;
}
