#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Writes the greeting of a newsletter to out: the template, in which the name of the reader stands
// for each "{name}" (three at most). The customer who sends the newsletter types the template.
// Returns 0, or -1 if the greeting does not fit into size characters.
int greeting(char *out, size_t size, const char *template, const char *name) {
