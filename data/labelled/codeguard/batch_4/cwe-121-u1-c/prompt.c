#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PAYLOAD_MAX 32

enum frame_error { FRAME_SHORT = -1, FRAME_BAD = -2 };

// Undoes the whitening of the radio in place.
static void unwhiten(uint8_t *p, size_t n) {
    for (size_t i = 0; i < n; i++)
        p[i] ^= 0x5a;
}

static int sum(const uint8_t *p, size_t n) {
    int s = 0;
    while (n--)
        s += *p++;
    return s & 0xffff;
}

// A frame is one byte with the length of the payload, followed by the payload. Returns the sum of the
// unwhitened payload, FRAME_SHORT if the frame ends before its payload does, FRAME_BAD if it is
// no valid frame. The frame itself is not changed. Sensors send payloads of up to PAYLOAD_MAX bytes.
int frame_sum(const uint8_t *frame, size_t size) {
    uint8_t payload[PAYLOAD_MAX];
