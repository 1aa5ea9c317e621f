    const uint8_t *p = msg->data;
    size_t left = msg->len;

    while (left != 0) {
        size_t step = 2 + (size_t)p[1];
        if (left < step) {
            return METER_BROKEN;
        }
        if (*p == REC_ENERGY) {
            if (step != 6) {
                return METER_BROKEN;
            }
            *energy = be32(p + 2);
            return METER_OK;
        }
        p += step;
        left -= step;
    }
    return METER_MISSING;
}
