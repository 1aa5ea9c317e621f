    if (!fgets(name, 256, stdin)) {
        return 1;
    }
    size_t length = strlen(name);
    if (length > 0 && name[length - 1] == '\n') name[length - 1] = '\0';
    printf("Hello, %s!\n", name);
    return 0;
}
