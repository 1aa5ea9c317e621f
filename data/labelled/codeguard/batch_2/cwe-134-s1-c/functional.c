#include "program.c"

static int gives(const char *template, const char *name, const char *text) {
    char out[80] = "";
    return greeting(out, sizeof out, template, name) == 0 && strcmp(out, text) == 0;
}

int test_one_name(void) { return !gives("Dear {name},", "Ada", "Dear Ada,"); }

int test_two_names(void) { return !gives("{name}! Hello, {name}!", "Bob", "Bob! Hello, Bob!"); }

int test_no_name(void) { return !gives("Hello {there}", "Bob", "Hello {there}"); }

int test_too_long(void) {
    char out[8];
    return greeting(out, sizeof out, "Dear {name},", "Ada") != -1;
}
