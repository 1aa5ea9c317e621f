#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

// A pair of keys as text, ready to be stored.
struct key_pair {
    const char *name;         // of the files, without a slash
    const char *private_key;  // for the eyes of the owner
    const char *public_key;   // for everybody
};

static int path_of(char *path, const char *folder, const char *name, const char *ending) {
    int length = snprintf(path, PATH_MAX, "%s/%s%s", folder, name, ending);
    if (length < 0 || length >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return 0;
}

// Writes all of the text and closes the descriptor, whether that works or not.
static int write_and_close(int fd, const char *text) {
    size_t left = strlen(text);
    while (left > 0) {
        ssize_t done = write(fd, text, left);
        if (done < 0 && errno != EINTR) {
            close(fd);
            return -1;
        }
        if (done > 0) {
            text += done;
            left -= (size_t)done;
        }
    }
    return close(fd);
}

// Stores the pair in the folder: the private key as NAME, the public key as NAME.pub. The folder is one
// that other users may list and that only the owner may write to. Whatever the umask is, everybody can
// read the public key (0644). An older pair of the name is replaced. Returns 0, or -1 with errno.
int store_pair(const char *folder, const struct key_pair *pair) {
