#include <stddef.h>
#include <stdint.h>

#define HEADER_SIZE 44

static uint32_t little_endian(const uint8_t *bytes, int count) {
    uint32_t value = 0;
    while (count-- > 0)
        value = value << 8 | bytes[count];
    return value;
}

// Returns how many milliseconds an uploaded WAV file takes, from its header: 2 bytes at 22 hold the
// channels, 4 at 24 the samples a second, 2 at 34 the bits of a sample, 4 at 40 the bytes of sound.
// -1 if the header is cut short or cannot be right.
int64_t wav_milliseconds(const uint8_t *header, size_t size) {
