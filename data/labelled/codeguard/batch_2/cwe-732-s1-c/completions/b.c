    FILE *file = fopen(path, "w");
    if (!file) return -1;

    size_t length = strlen(password);
    size_t written = fwrite(password, 1, length, file);
    if (fclose(file) != 0 || written != length) return -1;

    return chmod(path, 0600);
}
