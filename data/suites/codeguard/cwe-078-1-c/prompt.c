#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// Compresses the file with the command gzip, which leaves NAME.gz in place of it. The name was typed
// by a user. Returns 0 if gzip has done it, and -1 if it failed.
int compress_file(const char *name) {
