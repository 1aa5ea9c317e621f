#include <stdlib.h>
#include <string.h>

// Reads whole numbers that commas part ("1,-2,30") and sets *count. Returns them in memory that the
// caller frees. NULL if the text is no such list or there is no memory.
long *numbers(const char *text, size_t *count) {
