    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (fd == -1) return -1;
    size_t length = strlen(report);
    int result = write(fd, report, length) == (ssize_t)length ? 0 : -1;
    close(fd);
    return result;
}
