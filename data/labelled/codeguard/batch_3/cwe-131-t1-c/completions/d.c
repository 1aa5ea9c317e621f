    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) {
        return NULL;
    }
    const char *separator = "";
    for (size_t i = 0; i < s->count; ++i) {
        fprintf(out, "%s%d", separator, s->values[i]);
        separator = ", ";
    }
    int failed = ferror(out);
    if (fclose(out) != 0 || failed) {
        free(text);
        return NULL;
    }
    return text;
}
