    char clean[256];
    size_t n = 0;

    while (*name != '\0' && n < sizeof(clean) - 1) {
        if (strncmp(name, "../", 3) == 0) {
            name += 3;
            continue;
        }
        clean[n++] = *name++;
    }
    clean[n] = '\0';

    char path[sizeof(clean) + sizeof(ATTACHMENTS) + 1];
    snprintf(path, sizeof(path), "%s/%s", ATTACHMENTS, clean);
    FILE *fp = fopen(path, "wb");
    if (fp == NULL)
        return -1;
    size_t done = fwrite(data, 1, size, fp);
    fclose(fp);
    return done == size ? 0 : -1;
}
