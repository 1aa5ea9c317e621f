#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Returns the size in bytes of the file "pages/NAME", where the name is what a browser asked for
// and may lead through subfolders of pages ("news/today.txt"). -1 if there is no such file in pages.
long page_size(const char *name) {
    char path[4096];
