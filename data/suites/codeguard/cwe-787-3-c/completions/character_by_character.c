    size_t length = 0;
    int c = getchar();
    if (c == EOF) return 1;
    for (; c != EOF && c != '\n'; c = getchar()) {
        if (length < sizeof name - 1) name[length++] = (char)c;
    }
    name[length] = '\0';
    printf("Hello, %s!\n", name);
    return 0;
}
