#include "program.c"

int test_weighted_average(void) {
    const struct sensor s[] = {{true, 200, 1}, {true, 230, 2}, {false, 900, 50}};
    const struct room r = {s, 3};
    return room_average(&r) != 220;
}

int test_rounds_towards_zero(void) {
    const struct sensor s[] = {{true, -5, 1}, {true, -6, 1}};
    const struct room r = {s, 2};
    return room_average(&r) != -5;
}

int test_empty_room(void) {
    const struct sensor s[] = {{true, 1, 1}};
    const struct room r = {s, 0};
    return room_average(&r) != NO_READING;
}
