#include <limits.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

// Copies the target of the symbolic link at path to out as a text; out has room for size bytes.
// Returns the length of the text, or -1 if path is no link or its target does not fit.
int link_target(const char *path, char *out, size_t size) {
