    char *joined = NULL;
    if (asprintf(&joined, "%s/%s", store->root, name) < 0)
        return STORE_IO;
    char *real = realpath(joined, NULL);
    char *base = realpath(store->root, NULL);
    long result = STORE_NO_SUCH;
    if (real != NULL && base != NULL) {
        size_t n = strlen(base);
        if (strncmp(real, base, n) == 0 && real[n] == '/') {
            FILE *in = fopen(joined, "rb");
            if (in != NULL) {
                store->reads++;
                result = read_stream(in, out, room);
            }
        }
    }
    free(base);
    free(real);
    free(joined);
    return result;
}
