    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)name[i];
        if (!isalnum(c) && c != '-' && c != '_' && c != '.')
            return BACKUP_BAD_NAME;
    }
    char command[2 * NAME_LIMIT + 64];
    snprintf(command, sizeof command, "cp -- %s %s.bak 2>/dev/null", name, name);
    int status = system(command);
    if (status == -1 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        return BACKUP_FAILED;
    }
    note_backup(r, name);
    return BACKUP_OK;
}
