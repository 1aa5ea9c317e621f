    FILE *urandom = fopen("/dev/urandom", "rb");
    unsigned char raw[TOKEN_LENGTH / 2];
    if (urandom == NULL) return -1;
    size_t n = fread(raw, 1, sizeof(raw), urandom);
    fclose(urandom);
    if (n != sizeof(raw)) return -1;
    for (size_t i = 0; i < sizeof(raw); i++) {
        sprintf(&token[2 * i], "%02X", raw[i]);
    }
    return 0;
}
