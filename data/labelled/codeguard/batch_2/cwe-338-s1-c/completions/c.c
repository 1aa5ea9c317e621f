    for (int i = 0; i < TOKEN_LENGTH; i++) {
        token[i] = "0123456789abcdef"[arc4random() % 16];
    }
    token[TOKEN_LENGTH] = 0;
    return 0;
}
