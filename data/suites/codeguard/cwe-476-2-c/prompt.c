#include <ctype.h>
#include <stddef.h>
#include <string.h>

// A header line that came from the network looks like "Name: value". Returns where in the line the
// value begins, behind the colon and any blanks. Returns NULL if the line has no colon or is
// itself NULL.
const char *header_value(const char *line) {
