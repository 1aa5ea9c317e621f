#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

/* One setting of the editor; an empty slot has two null pointers. */
struct slot {
    char *key;
    char *value;
};

/* Makes the slot empty. */
void slot_clear(struct slot *s) {
    free(s->key);
    free(s->value);
    s->key = NULL;
    s->value = NULL;
}

/* Loads a line "key=value" into the slot and gives back what the slot held before. Key and value
 * must not be empty. Returns 0, or -1 if the line is not of this form or there is no memory.
 * In either case the caller may load the slot again and calls slot_clear in the end. */
int slot_load(struct slot *s, const char *line) {
    const char *eq = strchr(line, '=');
