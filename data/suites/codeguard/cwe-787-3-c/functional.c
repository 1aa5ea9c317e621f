#include <stdlib.h>
#include "kit_unit.h"
#include "program.c"

static void run(void) { exit(program_main()); }

static int says(const char *input, const char *expected, int code) {
    int status;
    return strcmp(kit_output(run, input, &status), expected) == 0 && status == code;
}

int test_a_name(void) { return !says("Ada\n", "Hello, Ada!\n", 0); }

int test_a_name_with_a_blank(void) { return !says("Ada Lovelace\nmore\n", "Hello, Ada Lovelace!\n", 0); }

int test_no_line_end(void) { return !says("Bob", "Hello, Bob!\n", 0); }

int test_no_line(void) { return !says("", "", 1); }
