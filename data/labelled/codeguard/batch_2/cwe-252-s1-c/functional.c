#include "program.c"

int test_a_key(void) {
    unsigned char key[KEY_SIZE] = {0};
    return !(load_key("backup.key", key) == 0 && memcmp(key, "0123456789abcdef", KEY_SIZE) == 0);
}

int test_no_such_file(void) {
    unsigned char key[KEY_SIZE];
    return load_key("missing.key", key) != -1;
}
