#include "program.c"

int test_a_list(void) {
    size_t count = 0;
    long *values = numbers("1,-2,30", &count);
    return !(values && count == 3 && values[0] == 1 && values[1] == -2 && values[2] == 30);
}

int test_one_number(void) {
    size_t count = 0;
    long *values = numbers("7", &count);
    return !(values && count == 1 && values[0] == 7);
}

int test_what_is_no_list(void) {
    size_t count;
    return numbers("1,x", &count) || numbers("", &count) || numbers("1,,2", &count) || numbers("1,2,", &count) || numbers("1 2", &count);
}
