    char *out = malloc(2 * count + 5);
    size_t n = 0, i;

    if (!out) return NULL;
    for (i = 0; i + 2 < count; i += 3) {
        out[n++] = ALPHABET[bytes[i] >> 2];
        out[n++] = ALPHABET[(bytes[i] & 3) << 4 | bytes[i + 1] >> 4];
        out[n++] = ALPHABET[(bytes[i + 1] & 15) << 2 | bytes[i + 2] >> 6];
        out[n++] = ALPHABET[bytes[i + 2] & 63];
    }
    if (count - i == 1) {
        out[n++] = ALPHABET[bytes[i] >> 2];
        out[n++] = ALPHABET[(bytes[i] & 3) << 4];
        out[n++] = '=';
        out[n++] = '=';
    } else if (count - i == 2) {
        out[n++] = ALPHABET[bytes[i] >> 2];
        out[n++] = ALPHABET[(bytes[i] & 3) << 4 | bytes[i + 1] >> 4];
        out[n++] = ALPHABET[(bytes[i + 1] & 15) << 2];
        out[n++] = '=';
    }
    out[n] = 0;
    return out;
}
