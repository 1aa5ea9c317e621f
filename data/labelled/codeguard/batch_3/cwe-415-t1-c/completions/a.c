    int joined = 0;

    for (size_t i = 0; i < from->count; i++) {
        if (roster_has(into, from->names[i])) {
            continue;
        }
        if (roster_add(into, from->names[i]) != 0) {
            roster_free(from);
            joined = -1;
            goto out;
        }
        joined++;
    }
out:
    roster_free(from);
    return joined;
}
