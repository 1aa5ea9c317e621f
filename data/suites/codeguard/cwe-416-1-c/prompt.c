#include <stdlib.h>
#include <string.h>

struct session {
    char user[16];
    int id;
    struct session *next;
};

// Takes every session of the user out of the list and frees it. Each session was allocated with
// malloc. Returns how many were taken out; *list is the first one that is left, or NULL.
int drop_sessions(struct session **list, const char *user) {
