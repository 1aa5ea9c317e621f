#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One member of a bundle that a customer uploaded, already decompressed. */
typedef struct {
    const char *path; /* as the bundle spells it: "docs/readme.txt" */
    const unsigned char *bytes;
    size_t size;
} bundle_member;

/* Creates every folder that leads to the last component of path. */
static bool make_parents(char *path) {
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        bool failed = mkdir(path, 0755) != 0 && errno != EEXIST;
        *slash = '/';
        if (failed) {
            return false;
        }
    }
    return true;
}

static bool write_all(const char *path, const bundle_member *member) {
    FILE *out = fopen(path, "wb");
    if (out == NULL) {
        return false;
    }
    bool complete = fwrite(member->bytes, 1, member->size, out) == member->size;
    return fclose(out) == 0 && complete;
}

/*
 * Unpacks the member into the folder `target`, in subfolders if its path has some, and replaces a
 * file of that name. Nothing outside of the target is ever written or created.
 * Returns 0, or -1 if the member was not unpacked.
 */
int bundle_unpack(const char *target, const bundle_member *member) {
