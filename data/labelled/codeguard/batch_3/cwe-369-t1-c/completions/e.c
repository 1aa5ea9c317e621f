    static const uint8_t bytes_of[5] = {[1] = 1, [2] = 2, [3] = 3, [4] = 4};
    struct wav_format format;
    struct wav_summary made = {0};
    bool playable = read_format(chunk, size, &format);

    if (playable) {
        unsigned eighths = format.bits_per_sample / 8u;
        playable = format.bits_per_sample % 8 == 0 && eighths < sizeof bytes_of;
        made.frame_size = playable ? bytes_of[eighths] * format.channels : 0;
        playable = (uint64_t)made.frame_size * format.sample_rate > 0;
    }
    if (playable) {
        made.frames = format.data_size / made.frame_size;
        made.duration_ms = 1000 * made.frames / format.sample_rate;
        *summary = made;
    }
    return playable;
}
