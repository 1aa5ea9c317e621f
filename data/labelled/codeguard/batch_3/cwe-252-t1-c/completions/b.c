    uint8_t raw[TOKEN_BYTES];
    size_t have = 0;
    int written;
    int fd;

    if (room > 0)
        *token = '\0';
    if (room <= strlen(source->prefix) + 2 * sizeof raw)
        return -1;
    if ((fd = open(source->device, O_RDONLY | O_CLOEXEC)) < 0)
        return -1;

    for (ssize_t got; have < sizeof raw; have += (size_t)got) {
        got = read(fd, raw + have, sizeof raw - have);
        if (got < 0 && errno == EINTR)
            got = 0;
        else if (got <= 0)
            break;
    }
    close(fd);
    if (have != sizeof raw)
        return -1;

    written = snprintf(token, room, "%s", source->prefix);
    to_hex(raw, sizeof raw, token + written);
    return 0;
}
