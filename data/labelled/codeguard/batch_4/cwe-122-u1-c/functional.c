#include "program.c"

int test_a_small_chunk(void) {
    struct rxbuf b;
    if (rxbuf_init(&b)) return 1;
    int bad = rxbuf_append(&b, (const unsigned char *)"hello", 5) != 0 || b.used != 5 || memcmp(b.data, "hello", 5);
    rxbuf_free(&b);
    return bad;
}

int test_two_chunks_in_order(void) {
    struct rxbuf b;
    if (rxbuf_init(&b)) return 1;
    int bad = rxbuf_append(&b, (const unsigned char *)"abc", 3) || rxbuf_append(&b, (const unsigned char *)"defg", 4);
    bad = bad || b.used != 7 || memcmp(b.data, "abcdefg", 7);
    rxbuf_free(&b);
    return bad;
}

int test_an_empty_chunk(void) {
    struct rxbuf b;
    if (rxbuf_init(&b)) return 1;
    int bad = rxbuf_append(&b, (const unsigned char *)"", 0) != 0 || b.used != 0;
    rxbuf_free(&b);
    return bad;
}
