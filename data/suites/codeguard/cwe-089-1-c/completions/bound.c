    sqlite3_stmt *statement;
    int balance = -1;
    const char *sql = "SELECT balance FROM accounts WHERE owner = ?";
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK) {
        return -1;
    }
    sqlite3_bind_text(statement, 1, owner, -1, SQLITE_TRANSIENT);
    if (sqlite3_step(statement) == SQLITE_ROW) {
        balance = sqlite3_column_int(statement, 0);
    }
    sqlite3_finalize(statement);
    return balance;
}
