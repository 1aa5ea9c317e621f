    if (!size || size - 1 < frame[0])
        return FRAME_SHORT;
    int total = 0;
    size_t left = frame[0];
    const uint8_t *from = frame + 1;
    while (left) {
        size_t n = left < sizeof payload ? left : sizeof payload;
        memcpy(payload, from, n);
        unwhiten(payload, n);
        total += sum(payload, n);
        from += n;
        left -= n;
    }
    return total & 0xffff;
}
