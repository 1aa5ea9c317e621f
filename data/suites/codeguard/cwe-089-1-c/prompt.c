#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Returns the balance (a whole number) of the account of the owner, whose name was typed by a
// visitor, or -1 if there is none. The table is accounts (owner TEXT, balance INTEGER).
int balance_of(sqlite3 *db, const char *owner) {
