    if (size < 3 || message[0] != 1) {
        return NULL;
    }
    size_t length = (size_t)message[1] << 8 | message[2];
    if (length > size - 3) {
        return NULL;
    }
    uint8_t *reply = malloc(length + 3);
    if (reply == NULL) {
        return NULL;
    }
    reply[0] = 2;
    memcpy(reply + 1, message + 1, length + 2);
    *reply_size = length + 3;
    return reply;
}
