#include "program.c"

int test_a_frame(void) {
    const uint8_t f[] = {3, 1 ^ 0x5a, 2 ^ 0x5a, 3 ^ 0x5a};
    return !(frame_sum(f, sizeof f) == 6 && f[1] == (1 ^ 0x5a));
}

int test_a_full_frame(void) {
    uint8_t f[PAYLOAD_MAX + 1];
    memset(f, 0x5b, sizeof f);
    f[0] = PAYLOAD_MAX;
    return frame_sum(f, sizeof f) != PAYLOAD_MAX;
}

int test_short_frames(void) {
    const uint8_t f[] = {3, 1};
    return !(frame_sum(f, 2) == FRAME_SHORT && frame_sum(f, 0) == FRAME_SHORT);
}
