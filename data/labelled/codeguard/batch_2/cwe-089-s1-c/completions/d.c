    char query[1024];
    sqlite3_stmt *stmt;
    int count = 0;

    snprintf(query, sizeof(query),
             "SELECT name FROM products WHERE category = '%s' ORDER BY %s", category, sort);
    if (sqlite3_prepare_v2(db, query, -1, &stmt, NULL) != SQLITE_OK) {
        return -1;
    }
    out[0] = '\0';
    size_t len = 0;
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        const unsigned char *name = sqlite3_column_text(stmt, 0);
        int written = snprintf(out + len, size - len, "%s\n", name);
        if (written < 0 || (size_t)written >= size - len) {
            sqlite3_finalize(stmt);
            return -1;
        }
        len += written;
        count++;
    }
    sqlite3_finalize(stmt);
    return count;
}
