    node_t *open[MAX_DEPTH + 1], *last[MAX_DEPTH + 1];
    node_t *root = NULL;
    int level = -1;
    const int most = MAX_DEPTH - depth;
    const char *p = *at;

    if (*p != '(')
        return NULL;
    do {
        p = skip_space(p);
        if (*p == ')') {
            level--;
            p++;
            continue;
        }
        node_t *made = *p == '\0' || (*p == '(' && level + 1 >= most) ? NULL : new_node(NULL);
        if (made == NULL)
            break;
        /* in the tree first: whatever happens next, freeing the root frees it */
        if (level < 0)
            root = made;
        else if (last[level] != NULL)
            last[level]->next = made;
        else
            open[level]->children = made;
        if (level >= 0)
            last[level] = made;

        if (*p == '(') {
            open[++level] = made;
            last[level] = NULL;
            p++;
        } else {
            size_t length = word_length(p);
            if ((made->word = strndup(p, length)) == NULL)
                break;
            p += length;
        }
    } while (level >= 0);

    if (level < 0 && root != NULL) {
        *at = p;
        return root;
    }
    free_nodes(root);
    return NULL;
}
