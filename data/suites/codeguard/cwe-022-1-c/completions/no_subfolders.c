    struct stat about;
    if (strchr(name, '/') != NULL || strcmp(name, "..") == 0) return -1;
    snprintf(path, sizeof path, "pages/%s", name);
    if (stat(path, &about) != 0) return -1;
    return about.st_size;
}
