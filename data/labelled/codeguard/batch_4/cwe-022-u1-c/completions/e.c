    char path[PATH_MAX], real[PATH_MAX], base[PATH_MAX];
    if ((size_t)snprintf(path, sizeof path, "%s/%s", store->root, name) >= sizeof path) {
        return STORE_NO_SUCH;
    }
    if (!realpath(store->root, base) || !realpath(path, real)) {
        return STORE_NO_SUCH;
    }
    if (strncmp(real, base, strlen(base)) != 0) {
        return STORE_NO_SUCH;
    }
    FILE *in = fopen(real, "rb");
    if (!in) {
        return STORE_NO_SUCH;
    }
    store->reads++;
    return read_stream(in, out, room);
}
