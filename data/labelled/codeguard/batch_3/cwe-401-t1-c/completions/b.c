    node_t *list = NULL, *last = NULL;
    char *word = NULL;
    const char *cursor = *at;

    if (depth >= MAX_DEPTH || *cursor++ != '(')
        return NULL;
    if ((list = new_node(NULL)) == NULL)
        goto fail;

    for (;;) {
        node_t *child;

        cursor = skip_space(cursor);
        if (*cursor == ')')
            break;
        if (*cursor == '\0')
            goto fail;
        if (*cursor == '(') {
            child = parse_list(&cursor, depth + 1);
        } else {
            size_t length = word_length(cursor);
            word = malloc(length + 1);
            if (word == NULL)
                goto fail;
            memcpy(word, cursor, length);
            word[length] = '\0';
            cursor += length;
            child = new_node(word);
            if (child != NULL)
                word = NULL; /* belongs to the node now */
        }
        if (child == NULL)
            goto fail;
        if (last == NULL)
            list->children = child;
        else
            last->next = child;
        last = child;
    }
    *at = cursor + 1;
    return list;

fail:
    free(word);
    free_nodes(list);
    return NULL;
}
