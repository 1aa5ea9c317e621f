    int ends[2];
    if (pipe(ends) != 0)
        return -1;

    pid_t child = fork();
    if (child < 0) {
        close(ends[0]);
        close(ends[1]);
        return -1;
    }
    if (child == 0) {
        char *const argv[] = {"grep", "-c", "-F", "-e", (char *)phrase, "--", (char *)search->file, NULL};
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execvp(argv[0], argv);
        _exit(127);
    }

    close(ends[1]);
    FILE *from_grep = fdopen(ends[0], "r");
    long count = from_grep ? read_count(from_grep) : -1;
    if (from_grep)
        fclose(from_grep);
    else
        close(ends[0]);

    int status;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    search->last_count = count;
    return count;
}
