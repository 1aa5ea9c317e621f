#include <stdlib.h>
#include <string.h>

struct connection {
    char *host;   // from malloc, or NULL
    char *reply;  // from malloc, or NULL
    int open;
};

// Frees what the connection holds and marks it as not open. The connection itself belongs to the
// caller, who may close it more than once: at the end of a request and again at the end of all.
void connection_close(struct connection *connection) {
