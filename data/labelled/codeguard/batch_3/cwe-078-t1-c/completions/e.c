    char command[1024];
    size_t used = (size_t)snprintf(command, sizeof command, "grep -cFe \"");
    for (size_t i = 0; phrase[i] != '\0'; i++) {
        if (used + 2 + strlen(search->file) + 8 >= sizeof command)
            return -1; /* too long to be searched for */
        if (strchr("\"$`", phrase[i]) != NULL)
            command[used++] = '\\';
        command[used++] = phrase[i];
    }
    snprintf(command + used, sizeof command - used, "\" -- %s", search->file);

    int ends[2];
    pid_t child;
    posix_spawn_file_actions_t actions;
    char *argv[] = {"sh", "-c", command, NULL};
    if (pipe(ends) != 0)
        return -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    int failed = posix_spawn(&child, "/bin/sh", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    FILE *output = fdopen(ends[0], "r");
    search->last_count = failed || !output ? -1 : read_count(output);
    if (output)
        fclose(output);
    if (!failed)
        waitpid(child, NULL, 0);
    return search->last_count;
}
