    struct packet *packet = calloc(1, sizeof *packet);
    if (!packet) return NULL;
    packet->type = type;
    strncpy(packet->name, name, sizeof packet->name - 1);
    return packet;
}
