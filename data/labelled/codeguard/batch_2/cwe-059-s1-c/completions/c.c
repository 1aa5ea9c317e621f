    FILE *file = fopen(path, "a");
    if (file == NULL) {
        perror(path);
        return -1;
    }
    if (fprintf(file, "%s\n", line) < 0) {
        fclose(file);
        return -1;
    }
    fclose(file);
    return 0;
}
