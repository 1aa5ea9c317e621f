    char fresh[PATH_MAX];
    int n = snprintf(fresh, sizeof fresh, "%s.new", path);
    if (n < 0 || (size_t)n >= sizeof fresh)
        return -1;

    unlink(fresh);
    int fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (fd < 0)
        return -1;
    size_t length = strlen(password);
    int failed = write(fd, password, length) != (ssize_t)length;
    failed |= close(fd) != 0;
    if (failed || rename(fresh, path) != 0) {
        unlink(fresh);
        return -1;
    }
    return 0;
}
