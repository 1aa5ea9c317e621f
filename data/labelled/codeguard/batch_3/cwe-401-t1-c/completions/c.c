    if (**at != '(')
        return NULL;
    if (depth >= MAX_DEPTH)
        return NULL;

    node_t *result = new_node(NULL);
    node_t *previous = NULL;
    if (!result)
        return NULL;

    *at = skip_space(*at + 1);
    while (**at != ')') {
        node_t *item = NULL;
        if (**at == '\0')
            return NULL;
        if (**at == '(') {
            item = parse_list(at, depth + 1);
            if (!item)
                return NULL;
        } else {
            size_t length = word_length(*at);
            char *word = strndup(*at, length);
            if (!word || !(item = new_node(word)))
                return NULL;
            *at += length;
        }
        if (previous)
            previous->next = item;
        else
            result->children = item;
        previous = item;
        *at = skip_space(*at);
    }
    ++*at;
    return result;
}
