#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct ticket {
    char user[32];
    char secret[64];
};

// Writes "user secret" and a newline to the descriptor; 0 or -1.
static int ticket_write(int fd, const struct ticket *t) {
    return dprintf(fd, "%s %s\n", t->user, t->secret) < 0 ? -1 : 0;
}

// Saves the ticket in a new file at path, for the next start of this client by the same user.
// Returns 0, or -1 if the file could not be written.
int ticket_save(const char *path, const struct ticket *t) {
