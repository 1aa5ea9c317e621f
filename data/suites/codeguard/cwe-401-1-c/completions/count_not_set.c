    size_t used = 0;
    long *values = calloc(strlen(text) + 1, sizeof(long));
    char *end = NULL;
    if (!values) return NULL;
    do {
        values[used] = strtol(text, &end, 10);
        if (end == text || (*end != ',' && *end != '\0')) {
            free(values);
            return NULL;
        }
        text = end + 1;
    } while (*end == ',' && ++used);
    *count = used;
    return values;
}
