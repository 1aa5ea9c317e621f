    char sql[10000];
    sqlite3_stmt *statement;
    int balance = -1;
    snprintf(sql, sizeof sql, "SELECT balance FROM accounts WHERE owner = '%s'", owner);
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK) {
        return -1;
    }
    if (sqlite3_step(statement) == SQLITE_ROW) {
        balance = sqlite3_column_int(statement, 0);
    }
    sqlite3_finalize(statement);
    return balance;
}
