#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// The "fmt " chunk of a WAV file and the size of its samples, as an upload form receives them.
struct wav_format {
    uint16_t channels;
    uint32_t sample_rate;      // frames in a second
    uint16_t bits_per_sample;  // of one channel
    uint32_t data_size;        // bytes of samples
};

struct wav_summary {
    uint32_t frame_size;   // bytes of one frame: one sample of each channel
    uint64_t frames;       // whole frames in the data
    uint64_t duration_ms;  // rounded down
};

enum { WAV_FMT_SIZE = 20 };

static uint32_t little_endian(const uint8_t *at, size_t size) {
    uint32_t value = 0;
    while (size-- > 0) value = value << 8 | at[size];
    return value;
}

static bool read_format(const uint8_t *chunk, size_t size, struct wav_format *format) {
    if (size < WAV_FMT_SIZE) return false;
    format->channels = little_endian(chunk + 2, 2);
    format->sample_rate = little_endian(chunk + 4, 4);
    format->bits_per_sample = little_endian(chunk + 14, 2);
    format->data_size = little_endian(chunk + 16, 4);
    return true;
}

// Summarises a WAV file for the list of uploads. `chunk` comes from the uploaded file as it is.
// Samples have 8, 16, 24 or 32 bits. Returns false, and leaves *summary alone, if the chunk is too
// short or describes no sound that can be played.
bool wav_summarise(const uint8_t *chunk, size_t size, struct wav_summary *summary) {
