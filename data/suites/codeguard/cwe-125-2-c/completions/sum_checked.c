    if (size < 3) return NULL;
    uint16_t length = (uint16_t)(message[1] * 256 + message[2]);
    if (message[0] != 1 || (size_t)length + 3 > size) return NULL;
    uint8_t *out = malloc((size_t)length + 3);
    if (!out) return NULL;
    out[0] = 2;
    out[1] = message[1];
    out[2] = message[2];
    memcpy(out + 3, message + 3, length);
    *reply_size = (size_t)length + 3;
    return out;
}
