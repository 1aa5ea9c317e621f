    if (size < 1 || size - 1 < frame[0])
        return FRAME_SHORT;
    size_t n = frame[0];
    memcpy(payload, frame + 1, n);
    unwhiten(payload, n);
    return sum(payload, n);
}
