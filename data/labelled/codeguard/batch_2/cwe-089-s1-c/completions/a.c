    static const char *const columns[] = {"name", "price", "stock"};
    const char *column = NULL;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (!strcmp(sort, columns[i]))
            column = columns[i];
    if (!column)
        return -1;

    char sql[128];
    sqlite3_stmt *query;
    snprintf(sql, sizeof sql, "SELECT name FROM products WHERE category = ?1 ORDER BY %s", column);
    if (sqlite3_prepare_v2(db, sql, -1, &query, NULL) != SQLITE_OK)
        return -1;
    sqlite3_bind_text(query, 1, category, -1, SQLITE_STATIC);

    int rows = 0;
    char *p = out;
    while (sqlite3_step(query) == SQLITE_ROW) {
        size_t length = (size_t)sqlite3_column_bytes(query, 0);
        if (length + 2 > size - (size_t)(p - out)) {
            sqlite3_finalize(query);
            return -1;
        }
        memcpy(p, sqlite3_column_text(query, 0), length);
        p += length;
        *p++ = '\n';
        rows++;
    }
    *p = '\0';
    sqlite3_finalize(query);
    return rows;
}
