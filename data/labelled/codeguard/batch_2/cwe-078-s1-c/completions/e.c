    size_t room = strlen(word) * 4 + 64;
    char *command = malloc(room);
    if (!command) return -1;

    char *p = command + sprintf(command, "grep -c -F -e '");
    for (const char *s = word; *s; s++) {
        if (*s == '\'') {
            memcpy(p, "'\\''", 4);
            p += 4;
        } else {
            *p++ = *s;
        }
    }
    strcpy(p, "' " LOG_FILE);

    FILE *pipe = popen(command, "r");
    free(command);
    if (!pipe) return -1;
    int hits = -1;
    if (fscanf(pipe, "%d", &hits) != 1) hits = -1;
    pclose(pipe);
    return hits;
}
