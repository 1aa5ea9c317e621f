    struct packet *packet = calloc(1, sizeof *packet);
    if (!packet) return NULL;
    packet->type = type;
    packet->number = number;
    if (strlen(name) < sizeof packet->name) strcpy(packet->name, name);
    return packet;
}
