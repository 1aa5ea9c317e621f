    uint64_t total = 0;
    const char *p = text;

    if (*p == '\0')
        return -1;
    while (*p >= '0' && *p <= '9') {
        unsigned digit = (unsigned)(*p++ - '0');
        if (total > (UINT64_MAX - digit) / 10)
            return -1;
        total = 10 * total + digit;
    }
    if (p == text)
        return -1;

    for (int shift = unit_shift(p); shift != 0; shift -= 10) {
        if (shift < 0 || total > UINT64_MAX >> 10)
            return -1;
        total <<= 10;
    }
    quota->bytes = total;
    return 0;
}
