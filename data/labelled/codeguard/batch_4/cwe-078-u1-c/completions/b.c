    for (const char *p = name; *p; p++) {
        if (strchr(";|&`", *p))
            return BACKUP_BAD_NAME;
    }

    char command[2 * NAME_LIMIT + 64];
    snprintf(command, sizeof(command), "cp -- \"%s\" \"%s.bak\" 2>/dev/null", name, name);
    FILE *pipe = popen(command, "r");
    if (pipe == NULL)
        return BACKUP_FAILED;
    int status = pclose(pipe);
    if (status != 0)
        return BACKUP_FAILED;
    note_backup(r, name);
    return BACKUP_OK;
}
