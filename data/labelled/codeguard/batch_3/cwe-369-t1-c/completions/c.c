    struct wav_format format = {0};
    if (!read_format(chunk, size, &format) || format.bits_per_sample % 8 != 0) return false;
    if (format.bits_per_sample < 8 || format.bits_per_sample > 32) return false;
    if (format.channels < 1 || format.sample_rate < 1) return false;

    uint32_t frame_size = format.channels * (format.bits_per_sample / 8u);
    uint32_t bytes_per_second = frame_size * format.sample_rate;
    uint64_t whole = format.data_size - format.data_size % frame_size;

    summary->frame_size = frame_size;
    summary->frames = whole / frame_size;
    summary->duration_ms = whole * 1000 / bytes_per_second;
    return true;
}
