#include "program.c"

int test_the_fields(void) {
    struct packet *packet = packet_new(3, "sensor", 77);
    return !(packet && packet->type == 3 && strcmp(packet->name, "sensor") == 0 && packet->number == 77);
}

int test_a_long_name_is_cut_off(void) {
    struct packet *packet = packet_new(1, "0123456789012345678901234567890123456789", 0);
    return !(packet && strlen(packet->name) == 31 && packet->number == 0);
}

int test_a_name_of_31(void) {
    struct packet *packet = packet_new(1, "0123456789012345678901234567890", 5);
    return !(packet && strlen(packet->name) == 31 && packet->number == 5);
}
