#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Writes the report into a new file at the path, which lies in a folder that every user of the
// machine can write to. The report is for its owner alone. Returns 0; -1 if there is
// something at the path already, which then stays as it is, or if the file cannot be written.
int write_report(const char *path, const char *report) {
