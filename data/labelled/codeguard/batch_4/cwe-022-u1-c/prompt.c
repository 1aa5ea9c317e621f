#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum store_status { STORE_OK = 0, STORE_NO_SUCH = -1, STORE_IO = -2 };

struct template_store {
    const char *root;    /* folder of the templates, without a slash at the end */
    unsigned long reads; /* how many templates were read */
};

static long read_stream(FILE *in, char *out, size_t room) {
    size_t got = fread(out, 1, room - 1, in);
    int bad = ferror(in);
    out[got] = '\0';
    fclose(in);
    return bad ? STORE_IO : (long)got;
}

/* Reads the template that a mail job asks for by name ("welcome.txt", "de/welcome.txt") from the
 * store into out (room > 0 bytes, always ends with NUL) and counts it in store->reads.
 * Returns the number of bytes read, or STORE_NO_SUCH if the store has no such template. */
long store_read(struct template_store *store, const char *name, char *out, size_t room) {
    out[0] = '\0';
