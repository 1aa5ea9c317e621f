#include "kit_unit.h"
#include "program.c"

static const struct record two[2] = {{1, {2, 3, 4}}, {5, {6, 7, 8}}};

int test_records_are_copied(void) {
    struct record *copy = records_copy(two, 2, 2);
    return !(copy && copy != two && memcmp(copy, two, sizeof two) == 0);
}

int test_the_others_are_zero(void) {
    struct record *copy = records_copy(two, 1, 4);
    struct record zero[3] = {0};
    return !(copy && copy[0].value[2] == 4 && memcmp(copy + 1, zero, sizeof zero) == 0);
}

int test_none_and_too_many(void) {
    return !(records_copy(two, 0, 0) == NULL && records_copy(two, 2, 1) == NULL);
}
