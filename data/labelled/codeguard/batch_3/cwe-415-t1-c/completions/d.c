    int count = 0;

    for (size_t i = 0; i < from->count; i++) {
        if (roster_has(into, from->names[i])) {
            free(from->names[i]);
            continue;
        }
        if (roster_reserve(into, into->count + 1) == -1) {
            roster_free(from);
            return -1;
        }
        into->names[into->count] = from->names[i];
        into->count += 1;
        count += 1;
    }

    from->count = 0; /* nothing in it belongs to it any more */
    roster_free(from);
    return count;
}
