    size_t size = (count + 3) / 3 * 4;
    char *text = malloc(size), *p = text;
    if (text == NULL)
        return NULL;
    while (count > 0) {
        unsigned value = bytes[0] << 16 | (count > 1 ? bytes[1] << 8 : 0) | (count > 2 ? bytes[2] : 0);
        p[0] = ALPHABET[value >> 18];
        p[1] = ALPHABET[value >> 12 & 63];
        p[2] = count > 1 ? ALPHABET[value >> 6 & 63] : '=';
        p[3] = count > 2 ? ALPHABET[value & 63] : '=';
        p += 4;
        if (count < 3)
            break;
        bytes += 3;
        count -= 3;
    }
    *p = '\0';
    return text;
}
