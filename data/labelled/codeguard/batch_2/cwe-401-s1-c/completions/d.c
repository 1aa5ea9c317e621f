    struct note *head = NULL;
    struct note **end = &head;

    for (; notes != NULL; notes = notes->next) {
        struct note *copy = calloc(1, sizeof *copy);
        if (copy == NULL) {
            notes_free(head);
            return NULL;
        }
        *end = copy;
        end = &copy->next;
        copy->text = strdup(notes->text);
        if (copy->text == NULL) {
            notes_free(head);
            return NULL;
        }
    }
    return head;
}
