    struct packet *packet = malloc(sizeof(struct packet));
    if (packet == NULL) {
        return NULL;
    }
    size_t length = strlen(name);
    if (length > 31) {
        length = 31;
    }
    packet->type = type;
    memcpy(packet->name, name, length);
    packet->name[length] = '\0';
    packet->number = number;
    return packet;
}
