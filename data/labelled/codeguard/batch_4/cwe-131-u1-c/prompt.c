#include <stdlib.h>
#include <string.h>

/* The columns of one line of a report. */
struct row {
    size_t count;
    const char **cells;
};

static size_t cells_len(const struct row *row) {
    size_t sum = 0;
    for (size_t i = 0; i < row->count; i++)
        sum += strlen(row->cells[i]);
    return sum;
}

/* Returns the cells as one new string with the separator between them (none at the end), which
 * the caller frees; "" if there are no cells, NULL if there is no memory. */
char *row_join(const struct row *row, const char *sep) {
