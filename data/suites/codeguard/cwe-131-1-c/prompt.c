#include <stdlib.h>
#include <string.h>

// Returns a copy of the text with & as &amp;, < as &lt; and > as &gt;, in memory that the caller
// frees; NULL if there is none. The text was sent by a visitor.
char *html_escape(const char *text) {
