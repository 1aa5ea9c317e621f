    struct note dummy = {NULL, NULL};
    struct note *last = &dummy;

    for (const struct note *n = notes; n != NULL; n = n->next) {
        struct note *fresh = malloc(sizeof *fresh);
        char *text = strdup(n->text);
        if (fresh == NULL || text == NULL) {
            free(fresh);
            free(text);
            return NULL;
        }
        fresh->text = text;
        fresh->next = NULL;
        last = last->next = fresh;
    }
    return dummy.next;
}
