    const char *sql;
    if (strcmp(sort, "name") == 0) {
        sql = "SELECT name FROM products WHERE category = ? ORDER BY name";
    } else if (strcmp(sort, "price") == 0) {
        sql = "SELECT name FROM products WHERE category = ? ORDER BY price";
    } else if (strcmp(sort, "stock") == 0) {
        sql = "SELECT name FROM products WHERE category = ? ORDER BY stock";
    } else {
        return -1;
    }

    sqlite3_stmt *stmt = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK) {
        return -1;
    }
    sqlite3_bind_text(stmt, 1, category, -1, SQLITE_TRANSIENT);

    int count = 0;
    size_t used = 0;
    if (size > 0) out[0] = '\0';
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(stmt, 0);
        int n = snprintf(out + used, size - used, "%s\n", name ? name : "");
        if (n < 0 || (size_t)n >= size - used) {
            count = -1;
            break;
        }
        used += (size_t)n;
        count++;
    }
    sqlite3_finalize(stmt);
    return count;
}
