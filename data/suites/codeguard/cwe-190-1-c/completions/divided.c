    if (count == 0 || given > count || count > SIZE_MAX / sizeof(struct record)) {
        return NULL;
    }
    struct record *copy = malloc(count * sizeof(struct record));
    if (copy == NULL) {
        return NULL;
    }
    memcpy(copy, records, given * sizeof(struct record));
    memset(copy + given, 0, (count - given) * sizeof(struct record));
    return copy;
}
