    struct note *head = NULL, *tail = NULL;

    while (notes) {
        struct note *node = malloc(sizeof(*node));
        if (!node)
            return NULL;
        node->next = NULL;
        node->text = strdup(notes->text);
        if (!node->text)
            return NULL;
        if (tail)
            tail->next = node;
        else
            head = node;
        tail = node;
        notes = notes->next;
    }
    return head;
}
