#include "program.c"

static const uint8_t message[] = {53, 1, 3, 0, 0, 12, 6, 'l', 'a', 'p', 't', 'o', 'p', 0, 15, 4, 'h', 'o', 'm', 'e', 50, 0, 255};
static const struct options all = {message, sizeof message};

int test_an_option(void) {
    char out[32];
    return !(option_text(&all, OPTION_HOST_NAME, out, sizeof out) == 6 && strcmp(out, "laptop") == 0);
}

int test_an_option_behind_another(void) {
    char out[32];
    return !(option_text(&all, OPTION_DOMAIN, out, sizeof out) == 4 && strcmp(out, "home") == 0);
}

int test_an_empty_option(void) {
    char out[32] = "before";
    return !(option_text(&all, 50, out, sizeof out) == 0 && out[0] == '\0');
}

int test_no_such_option(void) {
    char out[32];
    return option_text(&all, 61, out, sizeof out) != -1;
}

int test_little_room(void) {
    char out[4];
    return !(option_text(&all, OPTION_HOST_NAME, out, sizeof out) == 3 && strcmp(out, "lap") == 0);
}
