    if (access(path, F_OK) == 0) {
        return -1;
    }
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        return -1;
    }
    if (fputs(report, file) == EOF) {
        fclose(file);
        return -1;
    }
    return fclose(file) == 0 ? 0 : -1;
}
