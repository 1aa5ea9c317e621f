    size_t pos = 0;

    while (pos < msg->len) {
        if (msg->len - pos < 2)
            return METER_BROKEN;
        uint8_t type = msg->data[pos];
        uint8_t size = msg->data[pos + 1];
        pos += 2;
        if (size > msg->len - pos)
            return METER_BROKEN;
        if (type == REC_ENERGY) {
            if (size != 4)
                return METER_BROKEN;
            *energy = be32(msg->data + pos);
            return METER_OK;
        }
        pos += size;
    }
    return METER_MISSING;
}
