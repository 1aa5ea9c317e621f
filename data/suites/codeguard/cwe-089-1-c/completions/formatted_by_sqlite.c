    char *sql = sqlite3_mprintf("SELECT balance FROM accounts WHERE owner = '%s' LIMIT 1", owner);
    char **table = NULL;
    int rows = 0, columns = 0, found = -1;
    if (sqlite3_get_table(db, sql, &table, &rows, &columns, NULL) == SQLITE_OK && rows > 0) {
        found = atoi(table[columns]);
    }
    sqlite3_free_table(table);
    sqlite3_free(sql);
    return found;
}
