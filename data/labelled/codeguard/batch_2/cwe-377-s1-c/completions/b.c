    static const char pattern[] = "/tmp/rows-XXXXXX";
    if (size < sizeof pattern)
        return NULL;
    memcpy(path, pattern, sizeof pattern);

    int fd = mkstemp(path);
    if (fd < 0)
        return NULL;
    FILE *file = fdopen(fd, "w+");
    if (file == NULL) {
        close(fd);
        unlink(path);
    }
    return file;
}
