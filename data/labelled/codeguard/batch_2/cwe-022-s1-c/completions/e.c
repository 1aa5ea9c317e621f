    char path[300];
    size_t length = strlen(name);

    if (length == 0 || length > 255 || name[0] == '.') return -1;
    for (const char *p = name; *p; p++) {
        if (!isalnum((unsigned char)*p) && !strchr("._-+ ()", *p)) {
            return -1;
        }
    }
    strcpy(path, ATTACHMENTS "/");
    strcat(path, name);

    FILE *out = fopen(path, "w");
    if (!out) return -1;
    int ok = fwrite(data, 1, size, out) == size;
    ok &= fclose(out) == 0;
    return ok ? 0 : -1;
}
