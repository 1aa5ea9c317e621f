    char format[512];
    size_t used = 0;
    const char *p = template;

    while (*p && used < sizeof(format) - 3) {
        if (strncmp(p, "{name}", 6) == 0) {
            format[used++] = '%';
            format[used++] = 's';
            p += 6;
        } else {
            format[used++] = *p++;
        }
    }
    format[used] = '\0';
    int n = snprintf(out, size, format, name, name, name);
    return (n < 0 || (size_t)n >= size) ? -1 : 0;
}
