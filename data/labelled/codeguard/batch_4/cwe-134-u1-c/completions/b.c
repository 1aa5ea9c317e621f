    char fmt[128];
    switch (m->kind) {
    case SAID:
        snprintf(fmt, sizeof fmt, "> %s", m->text);
        break;
    case WHISPERED:
        snprintf(fmt, sizeof fmt, "(%s)", m->text);
        break;
    default:
        snprintf(fmt, sizeof fmt, "* %s", m->text);
        break;
    }
    for (char *p; (p = strstr(fmt, "%n")) != NULL;)
        *p = '?';
    int n = snprintf(l->buf, sizeof l->buf, fmt);
    l->len = n < 0 ? 0 : n < LINE ? (size_t)n : LINE - 1;
}
