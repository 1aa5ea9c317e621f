    char fmt[2 * sizeof m->text + 8];
    size_t k = 0;

    for (const char *p = m->text; *p; p++) {
        if (*p == '%')
            fmt[k++] = '%';
        fmt[k++] = *p;
    }
    fmt[k] = '\0';

    l->len = 0;
    line_addf(l, "%s", m->kind == SAID ? "> " : m->kind == WHISPERED ? "(" : "* ");
    line_addf(l, fmt);
    if (m->kind == WHISPERED) line_addf(l, ")");
}
