    if (strstr(name, "..") != NULL || name[0] == '/') {
        return -1;
    }
    if (snprintf(path, sizeof path, "pages/%s", name) >= (int)sizeof path) {
        return -1;
    }
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return -1;
    }
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    fclose(file);
    return size;
}
