    struct stat before, after;
    int fd;

    if (lstat(path, &before) == 0) {
        if (!S_ISREG(before.st_mode)) {
            return -1;
        }
        fd = open(path, O_WRONLY | O_APPEND);
    } else {
        fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL, 0600);
        if (fd >= 0 && fstat(fd, &before) != 0) {
            close(fd);
            return -1;
        }
    }
    if (fd < 0) {
        return -1;
    }
    if (fstat(fd, &after) != 0 || before.st_dev != after.st_dev || before.st_ino != after.st_ino) {
        close(fd);
        return -1;
    }
    int result = dprintf(fd, "%s\n", line) < 0 ? -1 : 0;
    close(fd);
    return result;
}
