    if (size < HEADER_SIZE)
        return -1;
    uint64_t channels = little_endian(header + 22, 2);
    uint64_t rate = little_endian(header + 24, 4);
    uint64_t bits = little_endian(header + 34, 2);
    uint64_t bytes = little_endian(header + 40, 4);

    uint64_t per_second = channels * rate * (bits / 8);
    if (per_second == 0)
        return -1;
    return (int64_t)(bytes * 1000 / per_second);
}
