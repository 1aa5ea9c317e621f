#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where a worker finds its queue: "queue://user@host:port/name?key=value" */
typedef struct {
    char user[32];
    char host[64];
    unsigned port;
    char name[64];
    unsigned retries;  /* of the key "retries", 3 if it is not given */
} queue_address;

/* Copies the text between two places; false if it is empty or does not fit. */
static bool copy_part(char *into, size_t room, const char *begin, const char *end)
{
    size_t length = (size_t)(end - begin);

    if (length == 0 || length >= room)
        return false;
    memcpy(into, begin, length);
    into[length] = '\0';
    return true;
}

static bool to_number(const char *begin, const char *end, unsigned most, unsigned *number)
{
    unsigned long value = 0;

    if (begin == end)
        return false;
    for (; begin < end; begin++) {
        if (!isdigit((unsigned char)*begin))
            return false;
        value = value * 10 + (unsigned long)(*begin - '0');
        if (value > most)
            return false;
    }
    *number = (unsigned)value;
    return true;
}

/*
 * Reads an address that somebody typed into a form. User, host, port and name must be there; "?" and
 * keys may follow, parted by "&", of which only "retries" is known and others are ignored. False
 * if the text is no such address; what is in *address then is of no interest.
 */
bool parse_address(const char *text, queue_address *address)
{
