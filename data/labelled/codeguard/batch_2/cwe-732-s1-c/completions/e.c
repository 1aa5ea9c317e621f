    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (fd == -1) {
        return -1;
    }
    if (fchmod(fd, S_IRUSR | S_IWUSR) == -1) {
        close(fd);
        return -1;
    }
    FILE *file = fdopen(fd, "w");
    if (file == NULL) {
        close(fd);
        return -1;
    }
    int result = fputs(password, file) == EOF ? -1 : 0;
    return fclose(file) == 0 ? result : -1;
}
