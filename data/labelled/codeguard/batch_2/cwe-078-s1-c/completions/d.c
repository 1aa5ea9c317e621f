    char *escaped = malloc(2 * strlen(word) + 1);
    if (escaped == NULL)
        return -1;
    size_t n = 0;
    for (size_t i = 0; word[i] != '\0'; i++) {
        if (word[i] == '"' || word[i] == '\\')
            escaped[n++] = '\\';
        escaped[n++] = word[i];
    }
    escaped[n] = '\0';

    int hits = -1;
    char *command = NULL;
    if (asprintf(&command, "grep -c -F -- \"%s\" %s", escaped, LOG_FILE) >= 0) {
        FILE *out = popen(command, "r");
        if (out != NULL) {
            if (fscanf(out, "%d", &hits) != 1)
                hits = -1;
            pclose(out);
        }
        free(command);
    }
    free(escaped);
    return hits;
}
