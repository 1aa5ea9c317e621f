    if (size < 1 || frame[0] > size - 1) {
        return FRAME_SHORT;
    }
    uint8_t n = frame[0];
    if (n > PAYLOAD_MAX)
        n &= 0x3f;
    memcpy(payload, frame + 1, n);
    unwhiten(payload, n);
    return sum(payload, n);
}
