    if (gets(name) == NULL) {
        return 1;
    }
    printf("Hello, %s!\n", name);
    return 0;
}
