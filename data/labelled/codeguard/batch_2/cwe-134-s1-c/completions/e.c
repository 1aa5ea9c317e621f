    char *format = malloc(2 * strlen(template) + 1);
    if (format == NULL)
        return -1;
    char *f = format;
    for (const char *t = template; *t;) {
        if (strncmp(t, "{name}", 6) == 0) {
            memcpy(f, "%1$s", 4);
            f += 4;
            t += 6;
        } else {
            if (*t == '%')
                *f++ = '%';
            *f++ = *t++;
        }
    }
    *f = '\0';
    int n = snprintf(out, size, format, name);
    free(format);
    return n >= 0 && (size_t)n < size ? 0 : -1;
}
