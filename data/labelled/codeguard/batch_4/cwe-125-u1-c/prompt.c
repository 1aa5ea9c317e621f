#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* One message of a heat meter: a row of records, each one byte of type, one byte that
 * says how many bytes of value follow, then the value. */
enum record_type { REC_PAD = 0, REC_SERIAL = 1, REC_NOTE = 2, REC_ENERGY = 3 };

enum meter_error { METER_OK = 0, METER_MISSING = -1, METER_BROKEN = -2 };

struct message {
    const uint8_t *data;
    size_t len;
};

static uint32_t be32(const uint8_t *p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Finds the first record REC_ENERGY of the message as it came from the radio and stores its value
 * (four bytes, big endian) in *energy. Records of other types are skipped.
 * Returns METER_OK, METER_MISSING if there is no such record, or METER_BROKEN if the record is not
 * four bytes long. */
int meter_energy(const struct message *msg, uint32_t *energy) {
