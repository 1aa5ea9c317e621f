    char path[PATH_MAX];
    int fd;

    if (path_of(path, folder, pair->name, "") < 0) return -1;
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
    if (fd == -1 || write_and_close(fd, pair->private_key) == -1) return -1;

    if (path_of(path, folder, pair->name, ".pub") < 0) return -1;
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH);
    if (fd == -1) return -1;
    if (fchmod(fd, S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH) == -1) {
        int reason = errno;
        close(fd);
        errno = reason;
        return -1;
    }
    return write_and_close(fd, pair->public_key);
}
