    struct stat about;
    if (stat(path, &about) == 0) return -1;
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (fd < 0) return -1;
    ssize_t n = write(fd, report, strlen(report));
    close(fd);
    return n < 0 ? -1 : 0;
}
