#include <stddef.h>
#include <stdint.h>

struct bitset {
    size_t size;  // in bits
    uint8_t *bytes;
};

// Sets the count bits from bit first on, as a client of the allocator asks. Returns 0; or -1, and no
// bit is set, if the range does not lie in the set.
int bitset_fill(struct bitset *set, size_t first, size_t count) {
