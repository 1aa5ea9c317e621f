    if (count == 0 || given > count) return NULL;
    struct record *copy = calloc(count, sizeof *copy);
    if (!copy) return NULL;
    memcpy(copy, records, given * sizeof *copy);
    return copy;
}
