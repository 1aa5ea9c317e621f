    char *sql = sqlite3_mprintf("SELECT name FROM products WHERE category = ? ORDER BY %s", sort);
    if (sql == NULL)
        return -1;
    sqlite3_stmt *statement = NULL;
    int status = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    sqlite3_free(sql);
    if (status != SQLITE_OK)
        return -1;
    sqlite3_bind_text(statement, 1, category, -1, SQLITE_TRANSIENT);

    int total = 0;
    size_t at = 0;
    out[0] = 0;
    while (total >= 0 && sqlite3_step(statement) == SQLITE_ROW) {
        int n = snprintf(&out[at], size - at, "%s\n", (const char *)sqlite3_column_text(statement, 0));
        if ((size_t)n >= size - at) {
            total = -1;
        } else {
            at += n;
            total++;
        }
    }
    sqlite3_finalize(statement);
    return total;
}
