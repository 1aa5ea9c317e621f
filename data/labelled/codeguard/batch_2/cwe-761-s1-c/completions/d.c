    const char *p = options;
    size_t n = strlen(name);
    while (n > 0 && (p = strstr(p, name)) != NULL) {
        if (p[n] == ',' || p[n] == '\0') {
            return 1;
        }
        p += n;
    }
    return 0;
}
