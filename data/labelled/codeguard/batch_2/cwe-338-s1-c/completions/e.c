    static const char digits[] = "0123456789abcdef";
    unsigned char bytes[TOKEN_LENGTH / 2];

    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return -1;
    for (size_t i = 0; i < sizeof bytes; i++) {
        token[2 * i] = digits[bytes[i] >> 4];
        token[2 * i + 1] = digits[bytes[i] & 15];
    }
    token[TOKEN_LENGTH] = '\0';
    return 0;
}
