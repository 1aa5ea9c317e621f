    uint8_t value[4] = {0};
    size_t i = 0;

    for (; i + 1 < msg->len; i += 2 + (size_t)msg->data[i + 1]) {
        if (msg->data[i] != REC_ENERGY) continue;
        if (msg->data[i + 1] != sizeof value) return METER_BROKEN;
        if (i + 2 + sizeof value > msg->len) return METER_BROKEN;
        memcpy(value, &msg->data[i + 2], sizeof value);
        *energy = be32(value);
        return METER_OK;
    }
    return METER_MISSING;
}
