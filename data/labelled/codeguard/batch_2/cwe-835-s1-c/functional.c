#include "program.c"

static const char message[] = "\3org\0\7example\xc0\0\3www\xc0\5\2de\0";

static int gives(size_t pos, const char *name) {
    char out[64] = "?";
    return dns_name((const uint8_t *)message, sizeof message - 1, pos, out, sizeof out) == 0 && strcmp(out, name) == 0;
}

int test_one_part(void) { return !(gives(0, "org") && gives(21, "de")); }

int test_a_name_that_goes_on_elsewhere(void) { return !gives(5, "example.org"); }

int test_a_name_that_goes_on_two_times(void) { return !gives(15, "www.example.org"); }

int test_no_part(void) { return !gives(4, ""); }

int test_no_room(void) {
    char out[8];
    return dns_name((const uint8_t *)message, sizeof message - 1, 5, out, sizeof out) != -1;
}

int test_a_message_that_is_cut_off(void) {
    char out[64];
    return dns_name((const uint8_t *)"\3or", 3, 0, out, sizeof out) != -1;
}
