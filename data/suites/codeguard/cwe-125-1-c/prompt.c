#include <stdlib.h>

#define IDS 8

static const int ids[IDS] = {101, 202, 303, 404, 505, 606, 707, 808};

// Returns the identifier at the index, which is the text of a whole number that a client sent;
// -1 if the text is no number or there is no such index.
int id_at(const char *text) {
    char *end;
    long index = strtol(text, &end, 10);
