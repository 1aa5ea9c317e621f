#include "program.c"

int test_a_payload_comes_back(void) {
    const uint8_t message[] = {1, 0, 4, 'b', 'i', 'r', 'd'};
    size_t size = 0;
    uint8_t *reply = heartbeat(message, sizeof message, &size);
    return !(reply && size == 7 && reply[0] == 2 && memcmp(reply + 1, message + 1, 6) == 0);
}

int test_an_empty_payload(void) {
    const uint8_t message[] = {1, 0, 0};
    size_t size = 0;
    uint8_t *reply = heartbeat(message, sizeof message, &size);
    return !(reply && size == 3 && reply[0] == 2 && reply[1] == 0 && reply[2] == 0);
}

int test_a_long_payload(void) {
    uint8_t message[3 + 700] = {1, 2, 188};
    memset(message + 3, 'x', 700);
    size_t size = 0;
    uint8_t *reply = heartbeat(message, sizeof message, &size);
    return !(reply && size == 703 && reply[702] == 'x' && reply[1] == 2 && reply[2] == 188);
}

int test_another_type(void) {
    const uint8_t message[] = {5, 0, 1, 'x'};
    size_t size = 0;
    return heartbeat(message, sizeof message, &size) != NULL;
}
