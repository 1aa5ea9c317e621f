    long *values = malloc((strlen(text) + 1) * sizeof(long));
    size_t used = 0;
    if (!values) return NULL;
    while (*text) {
        char *end;
        values[used++] = strtol(text, &end, 10);
        if (end == text || (*end && *end != ',')) {
            free(values);
            return NULL;
        }
        text = *end ? end + 1 : end;
    }
    *count = used;
    return values;
}
