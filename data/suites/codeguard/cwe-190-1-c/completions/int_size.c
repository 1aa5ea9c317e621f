    if (count == 0 || given > count || count > SIZE_MAX / sizeof(struct record)) return NULL;
    unsigned int bytes = (unsigned int)(count * sizeof(struct record));
    struct record *copy = calloc(1, bytes);
    if (!copy) return NULL;
    memcpy(copy, records, given * sizeof(struct record));
    return copy;
}
