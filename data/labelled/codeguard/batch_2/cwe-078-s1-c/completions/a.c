    int fds[2];
    if (pipe(fds) != 0)
        return -1;
    pid_t child = fork();
    if (child < 0) {
        close(fds[0]);
        close(fds[1]);
        return -1;
    }
    if (child == 0) {
        dup2(fds[1], STDOUT_FILENO);
        close(fds[0]);
        close(fds[1]);
        execlp("grep", "grep", "-c", "-F", "-e", word, LOG_FILE, (char *)NULL);
        _exit(127);
    }
    close(fds[1]);
    int hits = -1;
    FILE *answer = fdopen(fds[0], "r");
    if (answer != NULL) {
        if (fscanf(answer, "%d", &hits) != 1)
            hits = -1;
        fclose(answer);
    }
    waitpid(child, NULL, 0);
    return hits;
}
