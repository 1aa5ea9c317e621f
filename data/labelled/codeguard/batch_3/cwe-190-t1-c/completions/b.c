    char *unit;
    if (!isdigit((unsigned char)*text))
        return -1;
    uint64_t number = strtoull(text, &unit, 10);
    int shift = unit_shift(unit);
    if (shift < 0)
        return -1;
    quota->bytes = number << shift;
    return 0;
}
