    char base[4096], full[4096];
    struct stat about;
    int length = snprintf(path, sizeof path, "pages/%s", name);
    if (length < 0 || (size_t)length >= sizeof path) return -1;
    if (realpath("pages", base) == NULL || realpath(path, full) == NULL) return -1;
    size_t size = strlen(base);
    if (strncmp(full, base, size) != 0 || full[size] != '/') return -1;
    if (stat(full, &about) != 0 || !S_ISREG(about.st_mode)) return -1;
    return (long)about.st_size;
}
