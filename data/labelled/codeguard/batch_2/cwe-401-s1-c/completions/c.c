    if (notes == NULL)
        return NULL;

    char *text = strdup(notes->text);
    struct note *copy = malloc(sizeof(struct note));
    struct note *rest = text && copy ? notes_copy(notes->next) : NULL;
    if (text == NULL || copy == NULL || (rest == NULL && notes->next != NULL)) {
        free(copy);
        free(text);
        return NULL;
    }
    copy->text = text;
    copy->next = rest;
    return copy;
}
