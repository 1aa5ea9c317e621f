#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 16

struct rxbuf {
    unsigned char *data;
    size_t used;
    size_t room;
};

static int rxbuf_init(struct rxbuf *b) {
    b->data = malloc(FIRST_ROOM);
    b->used = 0;
    b->room = b->data ? FIRST_ROOM : 0;
    return b->data ? 0 : -1;
}

static void rxbuf_free(struct rxbuf *b) {
    free(b->data);
    b->data = NULL;
    b->used = b->room = 0;
}

// Appends the n bytes of a chunk that came from the peer. The buffer grows as needed; chunks of any
// size up to 64 KiB occur. Returns 0, or -1 if there is no memory (the buffer then stays as it was).
int rxbuf_append(struct rxbuf *b, const unsigned char *chunk, size_t n) {
