#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Saves the password of the database at path, in place of what the file may hold already. At no time may
// anyone but the owner be able to read it there. Returns 0, or -1 if it was not saved.
int save_password(const char *path, const char *password) {
