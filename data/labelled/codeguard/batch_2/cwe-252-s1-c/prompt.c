#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define KEY_SIZE 16

// Reads the first KEY_SIZE bytes of the file into key, with which the backup is then encrypted. The
// file may be longer. Returns 0, or -1 if the file does not give a whole key.
int load_key(const char *path, unsigned char key[KEY_SIZE]) {
