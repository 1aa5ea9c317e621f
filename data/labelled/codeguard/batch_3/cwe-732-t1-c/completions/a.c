    const struct {
        const char *ending, *text;
        mode_t mode;
    } files[] = {
        {"", pair->private_key, 0600},
        {".pub", pair->public_key, 0644},
    };
    char path[PATH_MAX];

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        if (path_of(path, folder, pair->name, files[i].ending) != 0) return -1;
        if (unlink(path) != 0 && errno != ENOENT) return -1;

        int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, files[i].mode);
        if (fd < 0) return -1;
        if (fchmod(fd, files[i].mode) != 0) {
            close(fd);
            return -1;
        }
        if (write_and_close(fd, files[i].text) != 0) return -1;
    }
    return 0;
}
