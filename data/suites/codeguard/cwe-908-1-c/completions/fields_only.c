    struct packet *packet = malloc(sizeof *packet);
    if (!packet) return NULL;
    packet->type = type;
    strncpy(packet->name, name, sizeof packet->name);
    packet->name[sizeof packet->name - 1] = '\0';
    packet->number = number;
    return packet;
}
