    if (scanf("%31[^\n]", name) != 1) {
        return 1;
    }
    printf("Hello, %s!\n", name);
    return EXIT_SUCCESS;
}
