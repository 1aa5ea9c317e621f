#include "program.c"

static int64_t takes(uint32_t channels, uint32_t rate, uint32_t bits, uint32_t bytes) {
    uint8_t header[HEADER_SIZE] = "RIFF";
    for (int i = 0; i < 4; i++) {
        if (i < 2) header[22 + i] = (uint8_t)(channels >> 8 * i);
        header[24 + i] = (uint8_t)(rate >> 8 * i);
        if (i < 2) header[34 + i] = (uint8_t)(bits >> 8 * i);
        header[40 + i] = (uint8_t)(bytes >> 8 * i);
    }
    return wav_milliseconds(header, sizeof header);
}

int test_a_second(void) { return takes(2, 44100, 16, 176400) != 1000; }

int test_half_a_minute(void) { return takes(1, 8000, 8, 240000) != 30000; }

int test_no_sound(void) { return takes(1, 8000, 8, 0) != 0; }

int test_a_header_cut_short(void) {
    uint8_t header[HEADER_SIZE] = "RIFF";
    return wav_milliseconds(header, 20) != -1;
}
