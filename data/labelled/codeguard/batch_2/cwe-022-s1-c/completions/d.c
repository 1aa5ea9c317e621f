    size_t length = strlen(ATTACHMENTS) + strlen(name) + 2;
    char *path = malloc(length);
    if (path == NULL) {
        return -1;
    }
    snprintf(path, length, "%s/%s", ATTACHMENTS, name);
    FILE *fp = fopen(path, "wb");
    free(path);
    if (fp == NULL) {
        return -1;
    }
    if (fwrite(data, 1, size, fp) != size) {
        fclose(fp);
        return -1;
    }
    return fclose(fp) == 0 ? 0 : -1;
}
