#include <stddef.h>
#include <stdint.h>

// A message from the card reader is a row of fields: a byte with the tag, a byte with the length of
// the value, then the value. Finds the first field that has the tag, sets *length and returns where
// its value begins in the message. NULL if there is no such field, or if a field is cut off.
const uint8_t *tlv_find(const uint8_t *message, size_t size, uint8_t tag, size_t *length) {
