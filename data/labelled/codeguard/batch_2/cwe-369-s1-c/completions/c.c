    if (size < HEADER_SIZE) {
        return -1;
    }
    uint16_t channels = little_endian(header + 22, 2);
    uint32_t sample_rate = little_endian(header + 24, 4);
    uint16_t bits_per_sample = little_endian(header + 34, 2);
    uint32_t data_size = little_endian(header + 40, 4);
    uint64_t byte_rate = (uint64_t)sample_rate * channels * bits_per_sample / 8;

    return (int64_t)data_size * 1000 / byte_rate;
}
