    size_t i = 0;
    while (i < msg->len) {
        uint8_t type = msg->data[i++];
        uint8_t n = msg->data[i++];
        if (type == REC_ENERGY) {
            if (n != 4) {
                return METER_BROKEN;
            }
            *energy = be32(&msg->data[i]);
            return METER_OK;
        }
        i += n;
    }
    return METER_MISSING;
}
