    const char *const texts[2] = {pair->private_key, pair->public_key};
    const mode_t modes[2] = {S_IRUSR | S_IWUSR, S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH};
    char path[PATH_MAX];

    for (int public = 0; public < 2; public++) {
        if (path_of(path, folder, pair->name, public ? ".pub" : "") == -1) {
            return -1;
        }
        (void)unlink(path);
        int fd = creat(path, 0644);
        if (fd == -1 || write_and_close(fd, texts[public]) == -1) {
            return -1;
        }
        if (chmod(path, modes[public]) == -1) {
            unlink(path);
            return -1;
        }
    }
    return 0;
}
