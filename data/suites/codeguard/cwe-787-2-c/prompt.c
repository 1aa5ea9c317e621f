#include <ctype.h>
#include <string.h>

// Takes blanks, tabs and line ends off the end of the text, in place. The text was typed by a user.
void trim_end(char *text) {
