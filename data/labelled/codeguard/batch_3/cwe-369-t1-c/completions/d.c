    struct wav_format format;
    struct wav_summary result;
    if (!read_format(chunk, size, &format)) {
        return false;
    }
    result.frame_size = format.channels * ((format.bits_per_sample + 7u) / 8u);
    result.frames = format.data_size / result.frame_size;
    result.duration_ms = result.frames * 1000 / format.sample_rate;
    memcpy(summary, &result, sizeof result);
    return true;
}
