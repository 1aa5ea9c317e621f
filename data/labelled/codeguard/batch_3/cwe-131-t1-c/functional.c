#include "program.c"

static int is(const int *values, size_t count, const char *expected) {
    series s = {values, count};
    char *text = series_text(&s);
    return text != NULL && strcmp(text, expected) == 0;
}

int test_some_numbers(void) { return !is((const int[]){1, 2, 3}, 3, "1, 2, 3"); }

int test_numbers_of_any_sign(void) { return !is((const int[]){10, -20, 0, 30}, 4, "10, -20, 0, 30"); }

int test_one_number(void) { return !is((const int[]){7}, 1, "7"); }

int test_nothing(void) { return !is((const int[]){0}, 0, ""); }
