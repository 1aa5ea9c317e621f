    int status;
    pid_t child = fork();
    if (child == 0) {
        execlp("gzip", "gzip", "-k", "--", name, (char *)NULL);
        _exit(127);
    }
    if (waitpid(child, &status, 0) == -1) return -1;
    return status == 0 ? 0 : -1;
}
