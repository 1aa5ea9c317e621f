#include "program.c"

static int holds(const char *path, const char *expected) {
    char text[64] = "";
    FILE *file = fopen(path, "rb");
    if (file == NULL) return 0;
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    return size == strlen(expected) && memcmp(text, expected, size) == 0;
}

static int unpack(const char *path, const char *text) {
    bundle_member member = {path, (const unsigned char *)text, strlen(text)};
    return bundle_unpack("out", &member);
}

int test_a_file(void) {
    mkdir("out", 0755);
    return !(unpack("notes.txt", "hello") == 0 && holds("out/notes.txt", "hello"));
}

int test_a_file_in_subfolders(void) {
    mkdir("out", 0755);
    return !(unpack("docs/en/readme.txt", "read me") == 0 && holds("out/docs/en/readme.txt", "read me"));
}

int test_a_file_is_replaced(void) {
    mkdir("out", 0755);
    return !(unpack("a/b", "a long first text") == 0 && unpack("a/b", "short") == 0 && holds("out/a/b", "short"));
}

int test_dots_inside_a_name(void) {
    mkdir("out", 0755);
    return !(unpack("v1..v2.diff", "+") == 0 && holds("out/v1..v2.diff", "+") &&
             unpack("..hidden/x", "h") == 0 && holds("out/..hidden/x", "h"));
}

int test_a_file_that_cannot_be_written(void) {
    mkdir("out", 0755);
    mkdir("out/folder", 0755);
    return unpack("folder", "text") != -1;
}
