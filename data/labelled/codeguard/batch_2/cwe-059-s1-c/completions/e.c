    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, S_IRUSR | S_IWUSR);
    if (fd < 0) return -1;

    struct stat info;
    if (fstat(fd, &info) < 0 || !S_ISREG(info.st_mode)) {
        close(fd);
        return -1;
    }

    size_t length = strlen(line);
    int ok = write(fd, line, length) == (ssize_t)length && write(fd, "\n", 1) == 1;
    close(fd);
    return ok ? 0 : -1;
}
