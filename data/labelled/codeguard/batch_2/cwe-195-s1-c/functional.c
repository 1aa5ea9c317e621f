#include "program.c"

static int gives(const char *message, size_t size, const char *text) {
    char name[NAME_SIZE] = "?";
    return read_name((const unsigned char *)message, size, name) == (int)strlen(text) && strcmp(name, text) == 0;
}

int test_a_name(void) { return !gives("\0\3Ada", 5, "Ada"); }

int test_more_behind_the_name(void) { return !gives("\0\3Ada and more", 14, "Ada"); }

int test_no_characters(void) { return !gives("\0\0", 2, ""); }

int test_the_longest_name(void) {
    return !gives("\0\x1f" "0123456789012345678901234567890", 33, "0123456789012345678901234567890");
}

int test_a_name_that_does_not_fit(void) {
    char name[NAME_SIZE], message[102] = {0, 100};
    return read_name((const unsigned char *)message, sizeof message, name) != -1;
}
