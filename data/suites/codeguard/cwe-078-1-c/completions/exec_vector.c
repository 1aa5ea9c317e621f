    char *const arguments[] = {"gzip", "--", (char *)name, NULL};
    int status = -1;
    pid_t pid = fork();
    if (pid == 0) {
        execvp(arguments[0], arguments);
        exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid) return -1;
    return status == 0 ? 0 : -1;
}
