    if (message[0] != 1) {
        return NULL;
    }
    size_t length = (size_t)message[1] << 8 | message[2];
    uint8_t *reply = malloc(length + 3);
    if (reply == NULL) {
        return NULL;
    }
    memcpy(reply, message, length + 3);
    reply[0] = 2;
    *reply_size = length + 3;
    return reply;
}
