    char base[4096], full[4096];
    struct stat about;
    if (strlen(name) > 4000) return -1;
    sprintf(path, "pages/%s", name);
    if (!realpath("pages", base) || !realpath(path, full)) return -1;
    if (strncmp(full, base, strlen(base)) != 0 || stat(full, &about) != 0) return -1;
    return about.st_size;
}
