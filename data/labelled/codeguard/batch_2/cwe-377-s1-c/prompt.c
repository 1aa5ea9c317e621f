#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Makes a new empty file in /tmp for the rows that do not fit into memory, and opens it for writing and
// reading. Its path is written to path, which has room for size characters; the caller removes the file.
// Returns NULL if there is no such file or no room.
FILE *open_scratch(char *path, size_t size) {
