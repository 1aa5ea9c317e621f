    size_t room = 1;
    for (const char *at = text; *at != '\0'; at++) {
        room += *at == ',';
    }
    long *values = malloc(room * sizeof(long));
    if (values == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < room; i++) {
        char *end;
        values[i] = strtol(text, &end, 10);
        if (end == text || *end != (i + 1 < room ? ',' : '\0')) {
            free(values);
            return NULL;
        }
        text = end + 1;
    }
    *count = room;
    return values;
}
