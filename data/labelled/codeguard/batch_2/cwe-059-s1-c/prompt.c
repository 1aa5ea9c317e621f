#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Appends a line, with a line break after it, to the log at path, which is made if there is none. The
// log lies in a folder that every user may write to, as /tmp; a symbolic link at path must not be
// followed. Returns 0, or -1 if the line was not written.
int append_log(const char *path, const char *line) {
