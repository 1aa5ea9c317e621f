    char **names = from->names;
    const size_t count = from->count;
    int result = 0;

    free(from);
    for (size_t i = 0; i < count; i++) {
        int wanted = result >= 0 && !roster_has(into, names[i]);
        if (wanted && roster_reserve(into, into->count + 1) != 0) {
            result = -1;
            wanted = 0;
        }
        if (wanted) {
            into->names[into->count++] = names[i];
            result++;
        } else {
            free(names[i]);
        }
    }
    free(names);
    return result;
}
