#include <stddef.h>
#include <string.h>

#define NAME_SIZE 32

// A number of two bytes, the high one first.
static int get_short(const unsigned char *bytes) {
    return (short)(bytes[0] << 8 | bytes[1]);
}

// Reads the name of a player: two bytes with its length, then its characters. Copies it to name as a
// text. Returns its length, or -1 if it does not fit or the message of size bytes is cut short.
int read_name(const unsigned char *message, size_t size, char name[NAME_SIZE]) {
