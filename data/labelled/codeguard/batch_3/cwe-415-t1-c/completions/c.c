    size_t before = into->count;
    int failed = roster_reserve(into, before + from->count);

    for (size_t i = 0; !failed && i < from->count; i++) {
        char **slot = &from->names[i];
        if (roster_has(into, *slot)) {
            free(*slot);
        } else {
            into->names[into->count++] = *slot;
        }
        *slot = NULL;
    }
    roster_free(from);
    return failed ? -1 : (int)(into->count - before);
}
