    const char *before = m->kind == SAID ? "> " : m->kind == WHISPERED ? "(" : "* ";
    const char *after = m->kind == WHISPERED ? ")" : "";

    strcpy(l->buf, before);
    strcat(l->buf, m->text);
    strcat(l->buf, after);
    l->len = strlen(l->buf);
}
