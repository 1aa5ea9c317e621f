    const uint8_t *p = message;
    const uint8_t *end = message + size;

    while (p < end) {
        if (p[0] == tag) {
            *length = p[1];
            return p + 2;
        }
        p += 2 + p[1];
    }
    return NULL;
}
