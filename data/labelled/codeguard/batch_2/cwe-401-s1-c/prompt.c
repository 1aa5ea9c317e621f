#include <stdlib.h>
#include <string.h>

struct note {
    char *text;
    struct note *next;
};

void notes_free(struct note *notes) {
    while (notes != NULL) {
        struct note *next = notes->next;
        free(notes->text);
        free(notes);
        notes = next;
    }
}

// Returns a copy of the list and of its texts, in the same order, for the caller to free with
// notes_free. NULL if the list is empty or there is no memory, and then nothing is left behind.
struct note *notes_copy(const struct note *notes) {
