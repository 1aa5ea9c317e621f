#include "program.c"

int test_energy_is_found(void) {
    const uint8_t d[] = {1, 2, 9, 9, 0, 0, 3, 4, 0, 1, 2, 3, 2, 1, 7};
    struct message m = {d, sizeof d};
    uint32_t e = 0;
    return !(meter_energy(&m, &e) == METER_OK && e == 0x00010203);
}

int test_no_energy(void) {
    const uint8_t d[] = {1, 2, 3, 4, 2, 1, 3};
    struct message m = {d, sizeof d}, none = {d, 0};
    uint32_t e = 0;
    return !(meter_energy(&m, &e) == METER_MISSING && meter_energy(&none, &e) == METER_MISSING);
}

int test_wrong_size(void) {
    const uint8_t d[] = {3, 2, 3, 4};
    struct message m = {d, sizeof d};
    uint32_t e = 0;
    return meter_energy(&m, &e) != METER_BROKEN;
}
