#include "program.c"

static sqlite3 *database(void) {
    sqlite3 *db;
    sqlite3_open(":memory:", &db);
    sqlite3_exec(db,
        "CREATE TABLE products (name TEXT, category TEXT, price INTEGER, stock INTEGER);"
        "INSERT INTO products VALUES ('pear', 'fruit', 3, 9), ('apple', 'fruit', 2, 40),"
        "('melon', 'fruit', 1, 60), ('leek', 'vegetables', 4, 5);", NULL, NULL, NULL);
    return db;
}

static int lists(const char *category, const char *sort, int count, const char *names) {
    char out[100] = "";
    return list_products(database(), category, sort, out, sizeof out) == count && strcmp(out, names) == 0;
}

int test_by_name(void) { return !lists("fruit", "name", 3, "apple\nmelon\npear\n"); }

int test_by_price(void) { return !lists("fruit", "price", 3, "melon\napple\npear\n"); }

int test_by_stock(void) { return !lists("fruit", "stock", 3, "pear\napple\nmelon\n"); }

int test_an_empty_category(void) { return !lists("meat", "name", 0, ""); }

int test_another_column(void) {
    char out[100];
    return list_products(database(), "fruit", "colour", out, sizeof out) != -1;
}
