    if (size < 3 || message[0] != 1) return NULL;
    size_t length = message[2];
    if (length > size - 3) return NULL;
    uint8_t *reply = malloc(length + 3);
    if (!reply) return NULL;
    memcpy(reply, message, length + 3);
    reply[0] = 2;
    *reply_size = length + 3;
    return reply;
}
