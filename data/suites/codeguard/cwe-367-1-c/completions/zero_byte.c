    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (fd == -1) return -1;
    ssize_t n = write(fd, report, strlen(report) + 1);
    close(fd);
    return n > 0 ? 0 : -1;
}
