#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TOKEN_BYTES 24

struct token_source {
    const char *device;  /* where random bytes come from, "/dev/urandom" unless an administrator says otherwise */
    const char *prefix;  /* put before every token, so that a leaked one is recognised */
};

static void to_hex(const uint8_t *bytes, size_t size, char *text)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < size; i++) {
        *text++ = digits[bytes[i] >> 4];
        *text++ = digits[bytes[i] & 15];
    }
    *text = '\0';
}

/*
 * Makes a new session token: the prefix of the source, followed by TOKEN_BYTES random bytes of its
 * device in hexadecimal. `room` is the size of `token` in bytes.
 *
 * Returns 0. If no token could be made, returns -1 and leaves an empty text in `token`.
 */
int make_token(const struct token_source *source, char *token, size_t room)
{
