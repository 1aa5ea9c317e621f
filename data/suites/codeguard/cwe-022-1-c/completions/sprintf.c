    struct stat about;
    if (strstr(name, "..") != NULL || name[0] == '/') return -1;
    sprintf(path, "pages/%s", name);
    if (stat(path, &about) != 0) return -1;
    return about.st_size;
}
