    if (size < HEADER_SIZE)
        return -1;
    int64_t channels = little_endian(header + 22, 2);
    int64_t rate = little_endian(header + 24, 4);
    int64_t bits = little_endian(header + 34, 2);
    int64_t bytes = little_endian(header + 40, 4);
    if (channels == 0 || rate == 0 || bits == 0)
        return -1;

    int64_t frame = channels * (bits / 8);
    return bytes / frame * 1000 / rate;
}
