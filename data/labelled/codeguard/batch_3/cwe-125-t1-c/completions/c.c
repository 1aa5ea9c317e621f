    const uint8_t *p = options->data;

    while (*p != OPTION_END) {
        if (*p == OPTION_PAD) {
            p++;
        } else if (*p == code) {
            return keep(out, room, p + 2, p[1]);
        } else {
            p += 2 + p[1];
        }
    }
    return -1;
}
