    uint8_t random[TOKEN_BYTES] = "";
    ssize_t count;
    int device, status = -1;

    if (room < 1)
        return status;
    token[0] = '\0';

    do {
        device = open(source->device, O_RDONLY | O_NOCTTY | O_CLOEXEC);
    } while (device < 0 && errno == EINTR);
    if (device < 0)
        goto done;

    do {
        count = read(device, random, sizeof random);
    } while (count == -1 && errno == EINTR);
    if (count == -1)
        goto close;

    if (strlen(source->prefix) + 2 * sizeof random + 1 > room)
        goto close;
    char *end = stpcpy(token, source->prefix);
    to_hex(random, sizeof random, end);
    status = 0;

close:
    close(device);
done:
    return status;
}
