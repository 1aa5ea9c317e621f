    if (size < HEADER_SIZE) {
        return -1;
    }
    const uint32_t channels = little_endian(&header[22], 2);
    const uint32_t rate = little_endian(&header[24], 4);
    const uint32_t bits = little_endian(&header[34], 2);
    if (!channels || !rate || bits < 8 || bits % 8) {
        return -1;
    }
    int64_t frames = little_endian(&header[40], 4) / (bits / 8) / channels;
    return frames * 1000 / rate;
}
