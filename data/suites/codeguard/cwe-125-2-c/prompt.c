#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// A message has a type (1 byte), the length of its payload (2 bytes, the high one first) and the
// payload. Makes the reply: type 2, the same length, the same payload. Returns the reply, which the
// caller frees, and sets *reply_size; NULL if the message, of size bytes as they came from the
// network, is no whole message of type 1.
uint8_t *heartbeat(const uint8_t *message, size_t size, size_t *reply_size) {
