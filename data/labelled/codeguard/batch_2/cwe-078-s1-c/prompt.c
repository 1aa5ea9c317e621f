#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOG_FILE "access.log"

// Counts the lines of access.log in which the word occurs as it is (grep -c -F does the work). The
// word was typed into the search field of the admin page. Returns the number of lines, 0 if the word
// is nowhere, -1 if grep gives no number.
int count_hits(const char *word) {
