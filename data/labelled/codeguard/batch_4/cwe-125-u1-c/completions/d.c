    const uint8_t *p = msg->data;
    const uint8_t *end = msg->data + msg->len;

    while (end - p >= 2) {
        unsigned size = p[1];
        if (p[0] == REC_ENERGY) {
            if (size != 4)
                return METER_BROKEN;
            *energy = be32(p + 2);
            return METER_OK;
        }
        p += 2 + size;
    }
    return METER_MISSING;
}
