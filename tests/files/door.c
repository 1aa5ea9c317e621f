#include <stdio.h>
#include <string.h>

// BEGIN PROMPT
/** Prints the name, at most 7 characters of it. */
void show(const char *name) {
    // BEGIN SOLUTION
    char kept[8];
    snprintf(kept, sizeof kept, "%s", name);
    printf("%s", kept);
}

// BEGIN ENTRYPOINT
int main(int argc, char *argv[]) {
    show(argv[1]);
    return 0;
}
