    long *values = NULL;
    size_t used = 0;
    for (;;) {
        char *end;
        long value = strtol(text, &end, 10);
        if (end == text || (*end != ',' && *end != '\0')) goto failed;
        long *larger = realloc(values, (used + 1) * sizeof *values);
        if (larger == NULL) goto failed;
        values = larger;
        values[used++] = value;
        if (*end == '\0') break;
        text = end + 1;
    }
    *count = used;
    return values;
failed:
    free(values);
    return NULL;
}
