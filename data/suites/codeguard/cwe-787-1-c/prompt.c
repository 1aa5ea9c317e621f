#include <stdio.h>
#include <string.h>

// Writes "NAME: SCORE points" into out, which has room for size characters, the closing zero
// among them. What does not fit is cut off. Returns the length of the whole line, cut off or not.
int format_score(char *out, size_t size, const char *name, int score) {
