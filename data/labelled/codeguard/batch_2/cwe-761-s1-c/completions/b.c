    char *copy = strdup(options);
    if (!copy) return -1;

    char *rest = copy;
    while (isspace((unsigned char)*rest)) rest++;

    int found = 0;
    char *part;
    while (!found && (part = strsep(&rest, ",")) != NULL) {
        found = *part != '\0' && strcmp(part, name) == 0;
    }
    free(copy);
    return found;
}
