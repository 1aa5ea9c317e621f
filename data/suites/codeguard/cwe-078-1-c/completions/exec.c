    pid_t child = fork();
    if (child == -1) {
        return -1;
    }
    if (child == 0) {
        execlp("gzip", "gzip", "-f", "--", name, (char *)NULL);
        _exit(127);
    }
    int status;
    if (waitpid(child, &status, 0) == -1) {
        return -1;
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}
