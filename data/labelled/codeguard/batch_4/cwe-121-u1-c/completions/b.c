    if (size == 0)
        return FRAME_SHORT;
    int8_t n = (int8_t)frame[0];
    if (n > PAYLOAD_MAX + 1)
        return FRAME_BAD;
    if (size < (size_t)frame[0] + 1)
        return FRAME_SHORT;
    for (uint8_t i = 0; i < (uint8_t)n; i++)
        payload[i] = frame[1 + i];
    unwhiten(payload, (uint8_t)n);
    return sum(payload, (uint8_t)n);
}
