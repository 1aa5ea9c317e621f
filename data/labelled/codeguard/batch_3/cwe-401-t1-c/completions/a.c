    const char *p = *at;
    node_t *list, **tail;

    if (*p != '(' || depth >= MAX_DEPTH)
        return NULL;
    list = new_node(NULL);
    if (list == NULL)
        return NULL;
    tail = &list->children;

    for (p = skip_space(p + 1); *p != ')'; p = skip_space(p)) {
        if (*p == '(') {
            *tail = parse_list(&p, depth + 1);
        } else {
            size_t length = word_length(p);
            char *word = length ? strndup(p, length) : NULL;
            *tail = word ? new_node(word) : NULL;
            if (word && !*tail)
                free(word);
            p += length;
        }
        if (*tail == NULL) {
            free(list);
            return NULL;
        }
        tail = &(*tail)->next;
    }
    *at = p + 1;
    return list;
}
