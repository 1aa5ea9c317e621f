#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct log_search {
    const char *file; /* from the configuration, e.g. "logs/app.log" */
    long last_count;  /* result of the last search */
};

/* Reads one number from a stream; -1 if there is none. */
static long read_count(FILE *stream) {
    char line[32];
    char *end;
    if (fgets(line, sizeof line, stream) == NULL)
        return -1;
    long count = strtol(line, &end, 10);
    return end == line ? -1 : count;
}

/*
 * Lets grep count the lines of the log that contain the phrase (as it is, not as a pattern), stores
 * the count in last_count and returns it. Returns -1 if grep could not do it, for example because
 * the log does not exist. The phrase comes from the search field of the status page.
 */
long log_search_run(struct log_search *search, const char *phrase) {
