    if (*text == '\0' || *text == ',' || strstr(text, ",,") || text[strlen(text) - 1] == ',') return NULL;
    char *copy = strdup(text);
    long *values = malloc((strlen(text) + 1) * sizeof(long));
    if (!copy || !values) return NULL;
    size_t used = 0;
    for (char *part = strtok(copy, ","); part; part = strtok(NULL, ",")) {
        char *end;
        values[used++] = strtol(part, &end, 10);
        if (end == part || *end) {
            free(values);
            return NULL;
        }
    }
    *count = used;
    return values;
}
