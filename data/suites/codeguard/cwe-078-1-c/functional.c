#include <fcntl.h>
#include "program.c"

static void put(const char *name) {
    FILE *file = fopen(name, "w");
    fputs("some text\n", file);
    fclose(file);
}

int test_a_file_is_compressed(void) {
    put("notes.txt");
    return !(compress_file("notes.txt") == 0 && access("notes.txt.gz", F_OK) == 0 && access("notes.txt", F_OK) != 0);
}

int test_a_name_with_a_blank(void) {
    put("my notes.txt");
    return !(compress_file("my notes.txt") == 0 && access("my notes.txt.gz", F_OK) == 0);
}

int test_no_such_file(void) { return compress_file("missing.txt") != -1; }
