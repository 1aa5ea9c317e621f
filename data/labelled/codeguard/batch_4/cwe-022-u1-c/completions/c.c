    char path[PATH_MAX];
    int n = snprintf(path, sizeof(path), "%s/%s", store->root, name);

    if (n < 0 || n >= (int)sizeof(path)) {
        return STORE_NO_SUCH;
    }

    FILE *fp = fopen(path, "r");
    if (!fp) {
        return STORE_NO_SUCH;
    }
    store->reads += 1;
    return read_stream(fp, out, room);
}
