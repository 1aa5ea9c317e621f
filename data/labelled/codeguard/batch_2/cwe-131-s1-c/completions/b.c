    size_t length = 4 * ((count + 2) / 3);
    char *result = malloc(length);
    if (result == NULL) return NULL;

    for (size_t i = 0, j = 0; i < count;) {
        uint32_t a = bytes[i++];
        uint32_t b = i < count ? bytes[i++] : 0;
        uint32_t c = i < count ? bytes[i++] : 0;
        uint32_t triple = (a << 16) + (b << 8) + c;
        result[j++] = ALPHABET[(triple >> 18) & 0x3F];
        result[j++] = ALPHABET[(triple >> 12) & 0x3F];
        result[j++] = ALPHABET[(triple >> 6) & 0x3F];
        result[j++] = ALPHABET[triple & 0x3F];
    }
    static const size_t padding[] = {0, 2, 1};
    for (size_t i = 0; i < padding[count % 3]; i++)
        result[length - 1 - i] = '=';
    result[length] = '\0';
    return result;
}
