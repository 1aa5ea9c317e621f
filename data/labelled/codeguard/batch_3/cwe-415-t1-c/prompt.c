#include <stdlib.h>
#include <string.h>

enum { ROSTER_MAX = 200 };

/* The members of a chat room. The names and the array are from malloc and belong to the roster. */
struct roster {
    char **names;
    size_t count;
    size_t capacity;
};

struct roster *roster_new(void) {
    return calloc(1, sizeof(struct roster));
}

void roster_free(struct roster *roster) {
    if (roster == NULL) return;
    for (size_t i = 0; i < roster->count; i++) {
        free(roster->names[i]);
    }
    free(roster->names);
    free(roster);
}

int roster_has(const struct roster *roster, const char *name) {
    for (size_t i = 0; i < roster->count; i++) {
        if (strcmp(roster->names[i], name) == 0) return 1;
    }
    return 0;
}

/* Room for so many names: 0, or -1 if they are too many or there is no memory; then nothing has changed. */
static int roster_reserve(struct roster *roster, size_t capacity) {
    if (capacity > ROSTER_MAX) return -1;
    if (capacity <= roster->capacity) return 0;
    char **names = realloc(roster->names, capacity * sizeof *names);
    if (names == NULL) return -1;
    roster->names = names;
    roster->capacity = capacity;
    return 0;
}

int roster_add(struct roster *roster, const char *name) {
    if (roster_reserve(roster, roster->count + 1) != 0) return -1;
    char *copy = strdup(name);
    if (copy == NULL) return -1;
    roster->names[roster->count++] = copy;
    return 0;
}

/*
 * Two rooms become one: the members of `from` who are not in `into` yet join it, in their order, and
 * `from` is freed, whatever happens. Returns how many have joined. If memory runs out or the room
 * gets too full, the result is -1, and `into` may hold some of them; it stays a roster that its owner
 * frees with roster_free.
 */
int roster_merge(struct roster *into, struct roster *from) {
