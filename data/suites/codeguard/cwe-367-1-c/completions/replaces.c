    unlink(path);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (fd == -1) return -1;
    ssize_t n = write(fd, report, strlen(report));
    close(fd);
    return n == (ssize_t)strlen(report) ? 0 : -1;
}
