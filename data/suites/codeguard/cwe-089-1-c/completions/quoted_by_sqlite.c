    char *sql = sqlite3_mprintf("SELECT balance FROM accounts WHERE owner = %Q", owner);
    sqlite3_stmt *statement = NULL;
    int found = -1;
    if (sql != NULL && sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        found = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_free(sql);
    return found;
}
