#include "program.c"

int test_the_value_behind_the_blank(void) {
    return strcmp(header_value("Host: example.org"), "example.org") != 0;
}

int test_no_blank_and_many_blanks(void) {
    return !(strcmp(header_value("A:b"), "b") == 0 && strcmp(header_value("A:   b c "), "b c ") == 0);
}

int test_a_value_with_a_colon(void) { return strcmp(header_value("At: 12:30"), "12:30") != 0; }

int test_an_empty_value(void) { return strcmp(header_value("X-Empty:"), "") != 0; }
