    size_t bytes;
    if (count == 0 || given > count || __builtin_mul_overflow(count, sizeof(struct record), &bytes))
        return NULL;
    struct record *copy = malloc(bytes);
    if (copy == NULL) return NULL;
    memset(copy, 0, bytes);
    memcpy(copy, records, given * sizeof(struct record));
    return copy;
}
