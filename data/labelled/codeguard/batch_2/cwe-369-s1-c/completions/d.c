    if (size < HEADER_SIZE) return -1;

    uint32_t channels = little_endian(header + 22, 2);
    uint32_t rate = little_endian(header + 24, 4);
    uint32_t width = little_endian(header + 34, 2) / 8;
    if (channels < 1 || rate < 1 || width < 1) return -1;

    uint32_t bytes_per_second = rate * channels * width;
    uint64_t total = (uint64_t)little_endian(header + 40, 4) * 1000;
    return (int64_t)(total / bytes_per_second);
}
