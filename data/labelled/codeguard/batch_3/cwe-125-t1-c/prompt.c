#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_PAD = 0, OPTION_HOST_NAME = 12, OPTION_DOMAIN = 15, OPTION_END = 255 };

/* The options of a DHCP message as they were received: size bytes, nothing behind them. */
struct options {
    const uint8_t *data;
    size_t size;
};

/* Copies n bytes into out as a string, as many as fit; returns the number of those copied. */
static int keep(char *out, size_t room, const uint8_t *bytes, size_t n)
{
    size_t take = n < room - 1 ? n : room - 1;
    memcpy(out, bytes, take);
    out[take] = '\0';
    return (int)take;
}

/*
 * Finds the first option with this code and copies its value into out, which has room for at least
 * one character. Each option is a code, the length of its value, and the value; OPTION_PAD is a
 * single byte, and OPTION_END ends the options. Returns the length of the text in out, or -1 if there
 * is no such option or the options are damaged.
 */
int option_text(const struct options *options, uint8_t code, char *out, size_t room)
{
