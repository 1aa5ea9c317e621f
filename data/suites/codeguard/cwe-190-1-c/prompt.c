#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct record {
    uint32_t id;
    uint32_t value[3];
};

// Returns room for count records, the first `given` of them copied from `records` and the others
// all zero. The count comes from the head of a file. Returns NULL if there is not enough memory, if
// count is 0, or if given is larger than count.
struct record *records_copy(const struct record *records, size_t given, size_t count) {
