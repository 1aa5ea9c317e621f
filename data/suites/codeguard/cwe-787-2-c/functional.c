#include "program.c"

static int gives(const char *text, const char *expected) {
    char copy[64];
    strcpy(copy, text);
    trim_end(copy);
    return strcmp(copy, expected) == 0;
}

int test_blanks_at_the_end(void) { return !(gives("hello  ", "hello") && gives("a\t\r\n", "a")); }

int test_blanks_elsewhere_stay(void) { return !gives("  two words ", "  two words"); }

int test_nothing_to_take_off(void) { return !gives("word", "word"); }
