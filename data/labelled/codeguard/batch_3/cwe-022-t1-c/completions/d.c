    if (member->path[0] == '/') {
        return -1;
    }
    int depth = 0;
    for (const char *at = member->path; *at; at += strspn(at, "/")) {
        size_t n = strcspn(at, "/");
        if (n == 2 && memcmp(at, "..", 2) == 0) {
            depth--;
        } else if (n != 1 || *at != '.') {
            depth++;
        }
        at += n;
    }
    if (depth < 1) {
        fprintf(stderr, "bundle: %s leads out of %s\n", member->path, target);
        return -1;
    }

    char full[PATH_MAX];
    int length = snprintf(full, sizeof(full), "%s/%s", target, member->path);
    if (length < 0 || (size_t)length >= sizeof(full)) {
        return -1;
    }
    if (make_parents(full) == false) return -1;
    return write_all(full, member) ? 0 : -1;
}
