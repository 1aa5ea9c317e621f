#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct packet {
    uint8_t type;
    char name[32];
    uint32_t number;
};

// Returns a new packet, which is sent to the other side byte by byte as it lies in memory and then
// freed; NULL if there is no memory. The name ends with a zero; a longer one is cut off.
struct packet *packet_new(uint8_t type, const char *name, uint32_t number) {
