    const char *text = *at;
    if (text[0] != '(' || depth >= MAX_DEPTH)
        return NULL;
    text++;

    node_t *list = new_node(NULL);
    node_t **end = list ? &list->children : NULL;
    bool good = list != NULL;
    while (good && *(text = skip_space(text)) != ')') {
        node_t *child = NULL;
        if (*text == '(') {
            child = parse_list(&text, depth + 1);
        } else if (*text != '\0') {
            size_t length = word_length(text);
            char *copy = calloc(length + 1, 1);
            if (copy != NULL) {
                memcpy(copy, text, length);
                child = new_node(copy);
            }
            text += length;
        }
        good = child != NULL;
        if (good) {
            *end = child;
            end = &child->next;
        }
    }
    if (!good) {
        free_nodes(list);
        return NULL;
    }
    *at = text + 1;
    return list;
}
