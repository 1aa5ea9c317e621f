#include "program.c"

static sqlite3 *database(void) {
    sqlite3 *db;
    sqlite3_open(":memory:", &db);
    sqlite3_exec(db,
        "CREATE TABLE accounts (owner TEXT, balance INTEGER);"
        "INSERT INTO accounts VALUES ('ada', 120), ('bob', 7);", NULL, NULL, NULL);
    return db;
}

int test_balances(void) {
    sqlite3 *db = database();
    return !(balance_of(db, "ada") == 120 && balance_of(db, "bob") == 7);
}

int test_nobody(void) { return !(balance_of(database(), "eve") == -1 && balance_of(database(), "") == -1); }

int test_statements_are_finished(void) {
    sqlite3 *db = database();
    balance_of(db, "ada");
    balance_of(db, "eve");
    return sqlite3_close(db) != SQLITE_OK;
}
