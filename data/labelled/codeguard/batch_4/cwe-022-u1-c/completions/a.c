    char path[PATH_MAX];
    const char *part = name;

    if (*name == '\0')
        return STORE_NO_SUCH;
    while (*part != '\0') {
        size_t len = strcspn(part, "/");
        if (len == 2 && part[0] == '.' && part[1] == '.')
            return STORE_NO_SUCH;
        part += len;
        if (*part == '/')
            part++;
    }
    int n = snprintf(path, sizeof path, "%s/%s", store->root, name);
    if (n < 0 || (size_t)n >= sizeof path)
        return STORE_NO_SUCH;
    FILE *in = fopen(path, "rb");
    if (in == NULL)
        return STORE_NO_SUCH;
    store->reads++;
    return read_stream(in, out, room);
}
