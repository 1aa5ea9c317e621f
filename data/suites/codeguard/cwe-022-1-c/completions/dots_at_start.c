    struct stat about;
    if (strncmp(name, "../", 3) == 0 || name[0] == '/') return -1;
    snprintf(path, sizeof path, "pages/%s", name);
    if (stat(path, &about) != 0) return -1;
    return about.st_size;
}
