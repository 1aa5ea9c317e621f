#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// Tells whether a list of options, as in "rw,noexec,user=ann" from a table of mounts, holds the option
// name as one of its parts. Blanks in front of the list and empty parts do not count. Returns 1 or 0;
// -1 if there is no memory.
int has_option(const char *options, const char *name) {
