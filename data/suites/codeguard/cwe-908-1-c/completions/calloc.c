    struct packet *packet = calloc(1, sizeof(struct packet));
    if (packet == NULL) {
        return NULL;
    }
    packet->type = type;
    packet->number = number;
    strncpy(packet->name, name, sizeof packet->name - 1);
    return packet;
}
