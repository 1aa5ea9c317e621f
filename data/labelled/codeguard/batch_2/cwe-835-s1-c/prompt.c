#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Reads the name at byte pos of a DNS answer. It is a row of parts, each a byte with its length (up to
// 63) and its characters, up to a part of length 0. Two bytes 0xc0 + HIGH, LOW in place of a part say
// that the name goes on at position HIGH * 256 + LOW. Writes the parts to out with dots between them.
// Returns 0; -1 if the message is wrong or the name does not fit into room characters.
int dns_name(const uint8_t *message, size_t size, size_t pos, char *out, size_t room) {
