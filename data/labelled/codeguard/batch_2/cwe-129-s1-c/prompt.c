#include <stdio.h>
#include <stdlib.h>

static const char *const MONTHS[] = {"January", "February", "March",     "April",   "May",      "June",
                                     "July",    "August",   "September", "October", "November", "December"};

// Turns a date out of an import file, "2024-03-05", into "5 March 2024" in out, which has room for
// size characters. Returns 0, or -1 if the text is no date in this form.
int long_date(const char *text, char *out, size_t size) {
