    static const char *const forms[] = {[SAID] = "> %s", [WHISPERED] = "(%s)", [LEFT] = "* %s"};
    const char *form = forms[m->kind];
    l->len = 0;
    line_addf(l, form, m->text);
}
