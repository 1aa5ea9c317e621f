#include "program.c"

static void put(uint8_t *at, uint32_t value, int size) {
    for (int i = 0; i < size; i++) at[i] = value >> 8 * i;
}

static bool summary_of(struct wav_summary *found, int channels, uint32_t rate, int bits, uint32_t data) {
    uint8_t chunk[WAV_FMT_SIZE] = {1};
    put(chunk + 2, channels, 2);
    put(chunk + 4, rate, 4);
    put(chunk + 14, bits, 2);
    put(chunk + 16, data, 4);
    return wav_summarise(chunk, sizeof chunk, found);
}

int test_a_compact_disc(void) {
    struct wav_summary found = {0};
    return !(summary_of(&found, 2, 44100, 16, 176400) && found.frame_size == 4 && found.frames == 44100 && found.duration_ms == 1000);
}

int test_a_telephone(void) {
    struct wav_summary found = {0};
    return !(summary_of(&found, 1, 8000, 8, 12004) && found.frame_size == 1 && found.frames == 12004 && found.duration_ms == 1500);
}

int test_an_unfinished_frame_is_left_out(void) {
    struct wav_summary found = {0};
    return !(summary_of(&found, 6, 48000, 24, 18 * 96 + 17) && found.frame_size == 18 && found.frames == 96 && found.duration_ms == 2);
}

int test_a_large_file(void) {
    struct wav_summary found = {0};
    return !(summary_of(&found, 1, 8000, 8, 4000000000u) && found.frames == 4000000000u && found.duration_ms == 500000000u);
}

int test_no_samples(void) {
    struct wav_summary found = {9, 9, 9};
    return !(summary_of(&found, 2, 48000, 32, 0) && found.frame_size == 8 && found.frames == 0 && found.duration_ms == 0);
}

int test_too_short(void) {
    uint8_t chunk[WAV_FMT_SIZE] = {1};
    struct wav_summary found = {7, 7, 7};
    return wav_summarise(chunk, WAV_FMT_SIZE - 1, &found) || found.frames != 7;
}
