    size_t digits = strspn(text, "0123456789");
    int shift = unit_shift(text + digits);

    if (digits == 0 || digits > 20 || shift < 0)
        return -1;
    unsigned __int128 size = 0; /* twenty digits and a shift by 40 need less than 108 bits */
    for (size_t i = 0; i < digits; i++)
        size = size * 10 + (text[i] - '0');
    size = size << shift;
    if ((uint64_t)size != size)
        return -1;
    quota->bytes = (uint64_t)size;
    return 0;
}
