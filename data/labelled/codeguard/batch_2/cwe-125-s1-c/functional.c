#include "program.c"

static const uint8_t message[] = {0x5a, 2, 9, 8, 0x9f, 0, 0x57, 3, 1, 2, 3};

int test_the_first_field(void) {
    size_t length = 0;
    return !(tlv_find(message, sizeof message, 0x5a, &length) == message + 2 && length == 2);
}

int test_a_field_without_value(void) {
    size_t length = 7;
    return !(tlv_find(message, sizeof message, 0x9f, &length) == message + 6 && length == 0);
}

int test_the_last_field(void) {
    size_t length = 0;
    return !(tlv_find(message, sizeof message, 0x57, &length) == message + 8 && length == 3);
}

int test_no_such_field(void) {
    size_t length = 0;
    return tlv_find(message, sizeof message, 1, &length) != NULL;
}
