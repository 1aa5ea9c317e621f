    if (count == 0 || given > count) {
        return NULL;
    }
    size_t bytes = count * sizeof(struct record);
    struct record *copy = malloc(bytes);
    if (copy == NULL) {
        return NULL;
    }
    memset(copy, 0, bytes);
    memcpy(copy, records, given * sizeof(struct record));
    return copy;
}
