    char full[PATH_MAX];
    int n = snprintf(full, sizeof full, "%s/%s", target, member->path);
    if (n < 0 || n >= (int)sizeof full) {
        errno = ENAMETOOLONG;
        return -1;
    }
    if (!make_parents(full) || !write_all(full, member)) {
        return -1;
    }
    return 0;
}
