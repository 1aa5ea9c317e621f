    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(db, "SELECT balance FROM accounts WHERE owner = ?", -1, &statement, NULL))
        return -1;
    sqlite3_bind_text(statement, 1, owner, -1, SQLITE_STATIC);
    return sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int(statement, 0) : -1;
}
