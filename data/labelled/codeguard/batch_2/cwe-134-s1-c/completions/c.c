    const char *mark = strstr(template, "{name}");
    int n;
    if (mark == NULL)
        n = snprintf(out, size, "%s", template);
    else
        n = snprintf(out, size, "%.*s%s%s", (int)(mark - template), template, name, mark + 6);
    if (n < 0 || (size_t)n >= size)
        return -1;
    return 0;
}
