    if (count == 0 || given > count) return NULL;
    return calloc(count, sizeof(struct record));
}
