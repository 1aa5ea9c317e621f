    if (scanf("%31s", name) != 1) {
        return 1;
    }
    printf("Hello, %s!\n", name);
    return 0;
}
