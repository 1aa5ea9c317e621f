    struct wav_format f;

    if (!read_format(chunk, size, &f))
        return false;
    if (!f.channels || !f.sample_rate || !f.bits_per_sample)
        return false;

    const uint32_t frame = f.bits_per_sample / 8 * f.channels;
    const uint64_t frames = f.data_size / frame;

    *summary = (struct wav_summary){
        .frame_size = frame,
        .frames = frames,
        .duration_ms = frames * 1000u / f.sample_rate,
    };
    return true;
}
