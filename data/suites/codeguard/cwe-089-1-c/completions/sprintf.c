    char sql[256];
    sqlite3_stmt *statement;
    sprintf(sql, "SELECT balance FROM accounts WHERE owner = '%s'", owner);
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK) return -1;
    int balance = sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int(statement, 0) : -1;
    sqlite3_finalize(statement);
    return balance;
}
