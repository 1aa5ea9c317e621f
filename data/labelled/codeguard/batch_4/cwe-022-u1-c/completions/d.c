    FILE *in;
    size_t size = strlen(store->root) + strlen(name) + 2;
    char *path;

    if (name[0] == '/' || strncmp(name, "../", 3) == 0) return STORE_NO_SUCH;
    path = malloc(size);
    if (!path) return STORE_IO;
    strcpy(path, store->root);
    strcat(path, "/");
    strcat(path, name);
    in = fopen(path, "rb");
    free(path);
    if (!in) return STORE_NO_SUCH;
    store->reads++;
    return read_stream(in, out, room);
}
