    char path[512];
    if (strstr(name, "..") || strchr(name, '/')) {
        return -1;
    }
    if ((size_t)snprintf(path, sizeof path, "%s/%s", ATTACHMENTS, name) >= sizeof path) {
        return -1;
    }
    FILE *f = fopen(path, "wb");
    if (!f) {
        return -1;
    }
    size_t n = fwrite(data, 1, size, f);
    return fclose(f) != 0 || n < size ? -1 : 0;
}
