    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return -1;
    }
    size_t have = 0;
    while (have < KEY_SIZE) {
        ssize_t n = read(fd, key + have, KEY_SIZE - have);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            break;
        }
        have += (size_t)n;
    }
    close(fd);
    if (have < KEY_SIZE) {
        memset(key, 0, KEY_SIZE);
        return -1;
    }
    return 0;
}
