    char path[1024];

    if (name[0] == '\0' || strchr(name, '/') != NULL)
        return -1;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return -1;
    int n = snprintf(path, sizeof path, ATTACHMENTS "/%s", name);
    if (n < 0 || (size_t)n >= sizeof path)
        return -1;

    FILE *file = fopen(path, "wb");
    if (file == NULL)
        return -1;
    size_t written = fwrite(data, 1, size, file);
    if (fclose(file) != 0 || written != size)
        return -1;
    return 0;
}
