    size_t base = strlen(target);
    char *full = malloc(base + strlen(member->path) + 2);
    if (full == NULL) return -1;
    memcpy(full, target, base);
    full[base] = '\0';

    char *tail = full + base; /* end of what has been put together so far */
    const char *from = member->path;
    while (*from != '\0') {
        size_t length = strcspn(from, "/");
        if (length == 2 && from[0] == '.' && from[1] == '.') {
            /* one level up, but never above the target */
            while (tail > full + base && *--tail != '/') {
            }
            *tail = '\0';
        } else if (length > 0 && !(length == 1 && *from == '.')) {
            tail += sprintf(tail, "/%.*s", (int)length, from);
        }
        from += length;
        if (*from == '/') from++;
    }

    int result = -1;
    if (tail != full + base && make_parents(full) && write_all(full, member)) result = 0;
    free(full);
    return result;
}
