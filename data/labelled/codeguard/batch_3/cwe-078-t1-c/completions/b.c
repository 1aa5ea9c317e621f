    /* Between single quotes the shell reads everything as it is, except for the quote itself. */
    size_t size = 64 + strlen(search->file);
    for (const char *p = phrase; *p != '\0'; p++)
        size += *p == '\'' ? 4 : 1;

    char *command = malloc(size);
    if (command == NULL)
        return -1;
    char *w = stpcpy(command, "grep -c -F -e '");
    for (const char *p = phrase; *p != '\0'; p++) {
        if (*p == '\'')
            w = stpcpy(w, "'\\''");
        else
            *w++ = *p;
    }
    sprintf(w, "' -- %s 2>/dev/null", search->file);

    long count = -1;
    FILE *pipe = popen(command, "r");
    if (pipe != NULL) {
        count = read_count(pipe);
        pclose(pipe);
    }
    free(command);
    return search->last_count = count;
}
