    size_t out_len = count * 4 / 3 + 1;
    char *out = malloc(out_len);
    if (out == NULL) {
        return NULL;
    }
    size_t j = 0;
    for (size_t i = 0; i < count; i += 3) {
        int left = (int)(count - i);
        uint8_t b0 = bytes[i];
        uint8_t b1 = left > 1 ? bytes[i + 1] : 0;
        uint8_t b2 = left > 2 ? bytes[i + 2] : 0;
        out[j++] = ALPHABET[b0 >> 2];
        out[j++] = ALPHABET[((b0 & 0x03) << 4) | (b1 >> 4)];
        out[j++] = left > 1 ? ALPHABET[((b1 & 0x0f) << 2) | (b2 >> 6)] : '=';
        out[j++] = left > 2 ? ALPHABET[b2 & 0x3f] : '=';
    }
    out[j] = '\0';
    return out;
}
