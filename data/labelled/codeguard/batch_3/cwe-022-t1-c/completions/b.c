    char clean[PATH_MAX];
    size_t used = 0;
    const char *p = member->path;

    while (*p == '/') p++; /* never absolute */
    while (*p && used < sizeof clean - 1) {
        if (strncmp(p, "../", 3) == 0) {
            p += 3; /* drop the way up */
            continue;
        }
        clean[used++] = *p++;
    }
    clean[used] = '\0';
    if (*p || used == 0) return -1;

    char full[2 * PATH_MAX];
    if (snprintf(full, sizeof full, "%s/%s", target, clean) >= (int)sizeof full) return -1;
    return make_parents(full) && write_all(full, member) ? 0 : -1;
}
