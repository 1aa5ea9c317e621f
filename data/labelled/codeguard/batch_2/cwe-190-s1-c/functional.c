#include "program.c"
#include <string.h>

static uint8_t bytes[4];

static int filled(size_t first, size_t count, const char *expected) {
    struct bitset set = {32, bytes};
    memset(bytes, 0, sizeof bytes);
    return bitset_fill(&set, first, count) == 0 && memcmp(bytes, expected, 4) == 0;
}

int test_a_few_bits(void) { return !filled(2, 3, "\x1c\0\0\0"); }

int test_over_the_end_of_a_byte(void) { return !filled(6, 4, "\xc0\x03\0\0"); }

int test_all_and_no_bits(void) { return !(filled(0, 32, "\xff\xff\xff\xff") && filled(5, 0, "\0\0\0\0")); }

int test_a_range_that_ends_behind_the_set(void) {
    struct bitset set = {32, bytes};
    memset(bytes, 0, sizeof bytes);
    return !(bitset_fill(&set, 30, 3) == -1 && bytes[3] == 0 && bitset_fill(&set, 40, 1) == -1);
}
