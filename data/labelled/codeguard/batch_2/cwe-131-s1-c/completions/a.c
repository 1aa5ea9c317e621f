    if (count > SIZE_MAX / 2)
        return NULL;
    char *text = malloc((count + 2) / 3 * 4 + 1);
    if (text == NULL)
        return NULL;

    char *p = text;
    for (size_t i = 0; i < count; i += 3) {
        uint32_t group = (uint32_t)bytes[i] << 16;
        if (i + 1 < count)
            group |= (uint32_t)bytes[i + 1] << 8;
        if (i + 2 < count)
            group |= bytes[i + 2];
        *p++ = ALPHABET[group >> 18];
        *p++ = ALPHABET[group >> 12 & 63];
        *p++ = i + 1 < count ? ALPHABET[group >> 6 & 63] : '=';
        *p++ = i + 2 < count ? ALPHABET[group & 63] : '=';
    }
    *p = '\0';
    return text;
}
