    if (size == 0 || size < (size_t)frame[0] + 1)
        return FRAME_SHORT;
    if (frame[0] > sizeof payload)
        return FRAME_BAD;
    memcpy(payload, &frame[1], frame[0]);
    unwhiten(payload, frame[0]);
    return sum(payload, frame[0]);
}
