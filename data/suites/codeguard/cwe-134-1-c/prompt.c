#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Writes "CLIENT: MESSAGE" and a line end to the log; both come from the network. Returns 0, or -1
// if it could not be written.
int log_message(FILE *log, const char *client, const char *message) {
