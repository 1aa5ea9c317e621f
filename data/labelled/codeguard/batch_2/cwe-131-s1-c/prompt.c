#include <stdint.h>
#include <stdlib.h>

static const char ALPHABET[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Returns the bytes as base64 text (padded with '=', no line breaks), which the caller frees; NULL if
// there is no memory.
char *base64_encode(const uint8_t *bytes, size_t count) {
