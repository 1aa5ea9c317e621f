    static int seeded = 0;
    const char *hex = "0123456789abcdef";

    if (!seeded) {
        srand((unsigned int)time(NULL));
        seeded = 1;
    }
    for (int i = 0; i < TOKEN_LENGTH; i++) {
        token[i] = hex[rand() % 16];
    }
    token[TOKEN_LENGTH] = '\0';
    return 0;
}
