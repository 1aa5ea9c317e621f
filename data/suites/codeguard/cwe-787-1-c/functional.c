#include "program.c"

int test_a_line(void) {
    char out[64];
    int length = format_score(out, sizeof out, "Ada", 42);
    return !(length == 14 && strcmp(out, "Ada: 42 points") == 0);
}

int test_a_negative_score(void) {
    char out[64];
    format_score(out, sizeof out, "Bob", -1);
    return strcmp(out, "Bob: -1 points") != 0;
}

int test_exactly_enough_room(void) {
    char out[15];
    format_score(out, sizeof out, "Ada", 42);
    return strcmp(out, "Ada: 42 points") != 0;
}
