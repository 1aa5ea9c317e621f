#include "program.c"

int test_join(void) {
    const char *c[] = {"a", "bc", ""};
    struct row r = {3, c};
    char *s = row_join(&r, ";");
    int bad = !s || strcmp(s, "a;bc;");
    free(s);
    return bad;
}
