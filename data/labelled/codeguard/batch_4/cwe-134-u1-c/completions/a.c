    l->len = 0;
    l->buf[0] = '\0';
    if (m->kind == SAID)
        line_addf(l, "> ");
    else if (m->kind == WHISPERED)
        line_addf(l, "(");
    else
        line_addf(l, "* ");
    line_addf(l, m->text);
    if (m->kind == WHISPERED)
        line_addf(l, ")");
}
