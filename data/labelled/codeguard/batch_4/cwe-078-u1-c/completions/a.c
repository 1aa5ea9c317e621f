    char command[512];
    snprintf(command, sizeof command, "cp -- %s %s.bak 2>/dev/null", name, name);
    if (system(command) != 0)
        return BACKUP_FAILED;
    note_backup(r, name);
    return BACKUP_OK;
}
