#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAME_LIMIT 120

enum backup_result { BACKUP_OK = 0, BACKUP_BAD_NAME = -1, BACKUP_FAILED = -2 };

struct recorder {
    char last_backup[NAME_LIMIT + 8];
    unsigned backups;
};

// Notes in the recorder that a backup was made.
static void note_backup(struct recorder *r, const char *name) {
    snprintf(r->last_backup, sizeof r->last_backup, "%s.bak", name);
    r->backups++;
}

// Copies the recording `name` of the working folder to `name`.bak before the editor opens it.
// The name was typed into the upload form. Recordings are named with letters, digits, '-', '_' and '.'.
// Returns BACKUP_OK and notes the backup in r; BACKUP_BAD_NAME if the name is empty or longer than
// NAME_LIMIT; any negative result if the copy could not be made.
int backup_recording(struct recorder *r, const char *name) {
    size_t length = strlen(name);
    if (length == 0 || length > NAME_LIMIT)
        return BACKUP_BAD_NAME;
