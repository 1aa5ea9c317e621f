    if (!isdigit((unsigned char)text[0])) {
        return -1;
    }
    char *unit = NULL;
    errno = 0;
    const unsigned long long count = strtoull(text, &unit, 10);
    if (errno == ERANGE) {
        return -1;
    }
    const int shift = unit_shift(unit);
    if (shift < 0) {
        return -1;
    }
    const uint64_t bytes = count * (UINT64_C(1) << shift);
    if (bytes < count) {
        return -1; /* too large: it wrapped around */
    }
    quota->bytes = bytes;
    return 0;
}
