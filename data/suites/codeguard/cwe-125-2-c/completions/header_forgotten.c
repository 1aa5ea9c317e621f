    if (size < 3 || message[0] != 1) return NULL;
    size_t length = (message[1] << 8) | message[2];
    if (length > size) return NULL;
    uint8_t *reply = malloc(3 + length);
    if (!reply) return NULL;
    reply[0] = 2;
    reply[1] = message[1];
    reply[2] = message[2];
    memcpy(&reply[3], &message[3], length);
    *reply_size = 3 + length;
    return reply;
}
