#include "program.c"
#include <string.h>

static int gives(const char *bytes, size_t count, const char *text) {
    char *encoded = base64_encode((const uint8_t *)bytes, count);
    return encoded != NULL && strcmp(encoded, text) == 0;
}

int test_three_bytes(void) { return !gives("Man", 3, "TWFu"); }

int test_padding(void) { return !(gives("M", 1, "TQ==") && gives("Ma", 2, "TWE=")); }

int test_nothing(void) { return !gives("", 0, ""); }

int test_high_bytes(void) { return !gives("\xff\xfe\xfd\x00\x01", 5, "//79AAE="); }
