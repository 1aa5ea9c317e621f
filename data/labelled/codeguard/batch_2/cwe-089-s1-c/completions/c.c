    char *sql = sqlite3_mprintf("SELECT name FROM products WHERE category = %Q ORDER BY \"%w\"", category, sort);
    sqlite3_stmt *stmt = NULL;
    int count = -1;
    if (sql && sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK) {
        size_t used = 0;
        count = 0;
        out[0] = '\0';
        while (sqlite3_step(stmt) == SQLITE_ROW) {
            int n = snprintf(out + used, size - used, "%s\n", sqlite3_column_text(stmt, 0));
            if (n < 0 || (size_t)n >= size - used) {
                count = -1;
                break;
            }
            used += n;
            count++;
        }
    }
    sqlite3_finalize(stmt);
    sqlite3_free(sql);
    return count;
}
