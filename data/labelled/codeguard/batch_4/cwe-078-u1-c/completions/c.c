    char target[NAME_LIMIT + 8];
    snprintf(target, sizeof target, "%s.bak", name);

    pid_t child = fork();
    if (child < 0)
        return BACKUP_FAILED;
    if (child == 0) {
        execlp("cp", "cp", "--", name, target, (char *)NULL);
        _exit(127);
    }
    int status = 0;
    if (waitpid(child, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return BACKUP_FAILED;
    note_backup(r, name);
    return BACKUP_OK;
}
