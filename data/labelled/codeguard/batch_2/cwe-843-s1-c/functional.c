#include "program.c"

static struct cell number(int64_t value) { return (struct cell){.kind = NUMBER, .number = value}; }

static struct cell text(const char *value) { return (struct cell){.kind = TEXT, .text = value}; }

static int sign(struct cell a, struct cell b) {
    int order = compare_cells(&a, &b);
    return (order > 0) - (order < 0);
}

int test_numbers(void) { return !(sign(number(1), number(2)) == -1 && sign(number(7), number(-7)) == 1 && sign(number(3), number(3)) == 0); }

int test_large_numbers(void) { return !(sign(number(INT64_MAX / 2), number(1)) == 1 && sign(number(0), number(1LL << 32)) == -1); }

int test_texts(void) { return !(sign(text("apple"), text("pear")) == -1 && sign(text("b"), text("a")) == 1 && sign(text("x"), text("x")) == 0); }
