    char *rest;
    uint64_t bytes;

    errno = 0;
    bytes = strtoull(text, &rest, 10);
    if (!isdigit((unsigned char)*text) || errno != 0)
        return -1;

    int shift = unit_shift(rest);
    if (shift < 0 || __builtin_mul_overflow(bytes, (uint64_t)1 << shift, &bytes))
        return -1;
    quota->bytes = bytes;
    return 0;
}
