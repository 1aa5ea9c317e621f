    struct wav_format format;
    if (!read_format(chunk, size, &format)) return false;

    uint32_t sample_size;
    switch (format.bits_per_sample) {
    case 8: sample_size = 1; break;
    case 16: sample_size = 2; break;
    case 24: sample_size = 3; break;
    case 32: sample_size = 4; break;
    default: return false;
    }
    if (format.channels == 0 || format.sample_rate == 0) return false;

    summary->frame_size = format.channels * sample_size;
    summary->frames = format.data_size / summary->frame_size;
    summary->duration_ms = summary->frames * 1000 / format.sample_rate;
    return true;
}
