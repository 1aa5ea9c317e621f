#include <stdint.h>
#include <string.h>

enum kind { NUMBER, TEXT };

struct cell {
    enum kind kind;
    union {
        int64_t number;
        const char *text;
    };
};

// Compares two cells of a table that a user uploaded, for qsort: below 0 if a comes before b, 0 if they
// are equal, above 0 otherwise. Numbers are ordered by value, texts as strcmp does; all numbers come
// before all texts.
int compare_cells(const struct cell *a, const struct cell *b) {
