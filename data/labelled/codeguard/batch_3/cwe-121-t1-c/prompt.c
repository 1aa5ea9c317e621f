#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define HOST_MAX 64

/* A site that this server answers for. Names are in lower case and shorter than HOST_MAX. */
struct vhost {
    const char *name;
    const char *root;
    unsigned long hits;
};

struct server {
    struct vhost *hosts;
    size_t host_count;
    const char *default_root;
};

static struct vhost *find_host(const struct server *server, const char *name) {
    for (struct vhost *host = server->hosts; host < server->hosts + server->host_count; host++) {
        if (strcmp(host->name, name) == 0)
            return host;
    }
    return NULL;
}

static void lower(char *text) {
    for (; *text != '\0'; text++)
        *text = (char)tolower((unsigned char)*text);
}

/*
 * Returns the folder of the site that a request is for, and counts the hit. `header` is the value of
 * the Host header as the client sent it, in any case and perhaps with a port ("Example.org:8080").
 * Returns the default folder if the server has no such site.
 */
const char *server_root(struct server *server, const char *header) {
