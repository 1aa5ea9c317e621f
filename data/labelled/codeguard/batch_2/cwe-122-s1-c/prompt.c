#include <stddef.h>
#include <string.h>

struct ring {
    unsigned char *bytes;
    size_t capacity;
    size_t start;  // where the oldest byte lies
    size_t used;
};

// Takes the oldest byte out of the ring, or returns -1 if there is none.
int ring_take(struct ring *ring) {
    if (ring->used == 0)
        return -1;
    int byte = ring->bytes[ring->start];
    ring->start = (ring->start + 1) % ring->capacity;
    ring->used--;
    return byte;
}

// Puts bytes from the serial line behind those in the ring, as many of them as there is room for.
// Returns how many that were.
size_t ring_put(struct ring *ring, const unsigned char *data, size_t count) {
