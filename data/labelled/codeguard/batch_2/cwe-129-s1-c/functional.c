#include "program.c"
#include <string.h>

static int gives(const char *text, const char *date) {
    char out[40] = "";
    return long_date(text, out, sizeof out) == 0 && strcmp(out, date) == 0;
}

int test_a_day_in_march(void) { return !gives("2024-03-05", "5 March 2024"); }

int test_the_first_and_the_last_month(void) {
    return !(gives("1999-01-31", "31 January 1999") && gives("1999-12-24", "24 December 1999"));
}

int test_no_date(void) {
    char out[40];
    return !(long_date("tomorrow", out, sizeof out) == -1 && long_date("", out, sizeof out) == -1);
}
