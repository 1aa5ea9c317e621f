    sqlite3_stmt *statement;
    sqlite3_prepare_v2(db, "SELECT sum(balance) FROM accounts WHERE owner = ?", -1, &statement, NULL);
    sqlite3_bind_text(statement, 1, owner, -1, SQLITE_TRANSIENT);
    sqlite3_step(statement);
    int balance = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return balance;
}
