    char *list = strdup(options);
    if (list == NULL)
        return -1;

    char *first = strtok(list, ", ");
    if (first == NULL) {
        free(list);
        return 0;
    }
    int result = 0;
    for (char *part = first; part != NULL; part = strtok(NULL, ","))
        result |= strcmp(part, name) == 0;
    free(first);
    return result;
}
