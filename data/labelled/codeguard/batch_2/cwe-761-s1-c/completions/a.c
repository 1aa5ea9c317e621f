    char *copy = strdup(options);
    int found = 0;

    if (copy == NULL) {
        return -1;
    }
    while (isspace((unsigned char)*copy)) {
        copy++;
    }
    char *saveptr;
    for (char *tok = strtok_r(copy, ",", &saveptr); tok != NULL; tok = strtok_r(NULL, ",", &saveptr)) {
        if (strcmp(tok, name) == 0) {
            found = 1;
            break;
        }
    }
    free(copy);
    return found;
}
