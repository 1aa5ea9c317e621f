#include "program.c"

int test_a_link(void) {
    char out[64] = "";
    symlink("some/where", "link");
    return !(link_target("link", out, sizeof out) == 10 && strcmp(out, "some/where") == 0);
}

int test_exactly_enough_room(void) {
    char out[11] = "";
    symlink("some/where", "link");
    return !(link_target("link", out, sizeof out) == 10 && strcmp(out, "some/where") == 0);
}

int test_no_link(void) {
    char out[64] = "";
    return link_target("missing", out, sizeof out) != -1;
}
