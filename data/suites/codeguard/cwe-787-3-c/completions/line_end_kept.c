    if (fgets(name, sizeof name, stdin) == NULL) {
        return 1;
    }
    printf("Hello, %s!\n", name);
    return 0;
}
