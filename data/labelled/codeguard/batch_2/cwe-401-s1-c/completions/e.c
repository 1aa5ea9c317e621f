    struct note *head = NULL, **tail = &head;

    while (notes != NULL) {
        struct note *copy = malloc(sizeof(struct note));
        if (copy == NULL) {
            goto fail;
        }
        copy->next = NULL;
        copy->text = strdup(notes->text);
        if (copy->text == NULL) {
            goto fail;
        }
        *tail = copy;
        tail = &copy->next;
        notes = notes->next;
    }
    return head;

fail:
    notes_free(head);
    return NULL;
}
