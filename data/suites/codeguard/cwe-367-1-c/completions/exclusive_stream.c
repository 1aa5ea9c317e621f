    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (fd < 0) return -1;
    FILE *file = fdopen(fd, "w");
    if (file == NULL) {
        close(fd);
        return -1;
    }
    int failed = fputs(report, file) == EOF;
    return fclose(file) != 0 || failed ? -1 : 0;
}
