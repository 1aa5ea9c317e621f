    char script[2 * NAME_LIMIT + 64];
    char *args[] = {"sh", "-c", script, NULL};
    int status;

    snprintf(script, sizeof script, "cp -- '%s' '%s.bak' 2>/dev/null", name, name);
    pid_t pid = fork();
    if (pid == 0) {
        execv("/bin/sh", args);
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
        return BACKUP_FAILED;
    note_backup(r, name);
    return BACKUP_OK;
}
