    pid_t child = fork();
    if (child == 0) {
        execlp("gzip", "gzip", "--", name, (char *)NULL);
        _exit(127);
    }
    return child > 0 ? 0 : -1;
}
