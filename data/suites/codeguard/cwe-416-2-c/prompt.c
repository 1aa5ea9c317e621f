#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// text: `size` characters and a zero, in memory of malloc; room: how much was allocated.
struct buffer {
    char *text;
    size_t size, room;
};

// Appends `length` characters. `text` may be a part of the buffer itself, so that
// a part of it is repeated. Returns false, with the buffer as it was, if there is no memory.
bool append(struct buffer *buffer, const char *text, size_t length) {
