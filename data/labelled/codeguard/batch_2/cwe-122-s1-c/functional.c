#include "program.c"

static unsigned char memory[8];

static int takes(struct ring *ring, const char *text) {
    for (; *text; text++)
        if (ring_take(ring) != *text) return 0;
    return ring_take(ring) == -1;
}

int test_an_empty_ring(void) {
    struct ring ring = {memory, 8, 0, 0};
    return !(ring_put(&ring, (const unsigned char *)"abc", 3) == 3 && takes(&ring, "abc"));
}

int test_two_puts(void) {
    struct ring ring = {memory, 8, 0, 0};
    size_t sum = ring_put(&ring, (const unsigned char *)"abc", 3) + ring_put(&ring, (const unsigned char *)"de", 2);
    return !(sum == 5 && takes(&ring, "abcde"));
}

int test_round_the_end(void) {
    struct ring ring = {memory, 8, 6, 0};
    return !(ring_put(&ring, (const unsigned char *)"abcde", 5) == 5 && takes(&ring, "abcde"));
}

int test_the_whole_ring(void) {
    struct ring ring = {memory, 8, 3, 0};
    return !(ring_put(&ring, (const unsigned char *)"abcdefgh", 8) == 8 && takes(&ring, "abcdefgh"));
}
