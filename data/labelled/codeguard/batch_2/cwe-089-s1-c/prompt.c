#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Lists the products (name TEXT, category TEXT, price INTEGER, stock INTEGER) of a category: writes
// their names to out, each with a line break after it, in the order of the column sort. Category
// and sort come from the address line of the browser; sort has to be "name", "price" or "stock".
// Returns the number of products; -1 for another column or if they do not fit into size characters.
int list_products(sqlite3 *db, const char *category, const char *sort, char *out, size_t size) {
