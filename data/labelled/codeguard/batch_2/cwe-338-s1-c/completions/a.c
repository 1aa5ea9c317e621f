    static uint64_t state;

    if (state == 0) {
        struct timespec now;
        if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
            return -1;
        state = (uint64_t)now.tv_nsec * 6364136223846793005u ^ (uint64_t)getpid() << 32 ^ (uint64_t)now.tv_sec;
        state |= 1;
    }
    for (int i = 0; i < TOKEN_LENGTH; i += 8) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        snprintf(token + i, 9, "%08x", (unsigned)(state >> 32));
    }
    return 0;
}
