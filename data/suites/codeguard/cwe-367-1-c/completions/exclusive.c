    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (fd == -1) {
        return -1;
    }
    size_t length = strlen(report);
    ssize_t written = write(fd, report, length);
    if (close(fd) == -1 || written != (ssize_t)length) {
        return -1;
    }
    return 0;
}
