    int joined = 0;
    size_t i;

    for (i = 0; i < from->count; ++i) {
        char *copy;
        if (roster_has(into, from->names[i]))
            continue;
        copy = strdup(from->names[i]);
        if (copy == NULL || roster_reserve(into, into->count + 1) < 0) {
            free(copy);
            goto fail;
        }
        into->names[into->count++] = copy;
        joined++;
    }
    roster_free(from);
    return joined;

fail:
    for (i = 0; i < from->count; ++i)
        free(from->names[i]);
    roster_free(from);
    return -1;
}
