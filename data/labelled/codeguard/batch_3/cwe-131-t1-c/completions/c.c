    /* An int has at most ten digits; two more bytes for the comma and the blank. */
    enum { WIDTH = 10 + 2 };
    char *text = malloc(s->count * WIDTH + 1);
    if (text == NULL) return NULL;

    char *end = text;
    *end = '\0';
    for (size_t i = 0; i < s->count; i++) {
        end += sprintf(end, i == 0 ? "%d" : ", %d", s->values[i]);
    }
    return text;
}
