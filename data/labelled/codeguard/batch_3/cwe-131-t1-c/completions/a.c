    const size_t widest = sizeof "-2147483648, " - 1;
    char *text, *at;

    if (s->count > (SIZE_MAX - 1) / widest || (text = malloc(s->count * widest + 1)) == NULL)
        return NULL;
    strcpy(text, "");
    at = text;
    for (const int *v = s->values; v != s->values + s->count; v++) {
        if (v != s->values)
            at = stpcpy(at, ", ");
        at += sprintf(at, "%d", *v);
    }
    return text;
}
