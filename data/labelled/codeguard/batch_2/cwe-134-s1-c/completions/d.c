    size_t at = 0;
    const char *mark;

    out[0] = '\0';
    while ((mark = strstr(template, "{name}")) != NULL) {
        char *piece = strndup(template, mark - template);
        if (piece == NULL) return -1;
        int n = snprintf(out + at, size - at, piece);
        free(piece);
        if (n < 0 || (size_t)n >= size - at) return -1;
        at += n;
        n = snprintf(out + at, size - at, "%s", name);
        if (n < 0 || (size_t)n >= size - at) return -1;
        at += n;
        template = mark + strlen("{name}");
    }
    int n = snprintf(out + at, size - at, template);
    return n < 0 || (size_t)n >= size - at ? -1 : 0;
}
