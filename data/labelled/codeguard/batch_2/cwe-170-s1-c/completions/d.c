    char target[PATH_MAX];
    ssize_t n = readlink(path, target, sizeof target - 1);

    if (n == -1) {
        return -1;
    }
    target[n] = '\0';
    if ((size_t)n + 1 > size) {
        return -1;
    }
    memcpy(out, target, (size_t)n + 1);
    return (int)n;
}
