    unsigned char key[TOKEN_BYTES];
    const size_t prefix = strlen(source->prefix);

    memset(key, 0, TOKEN_BYTES);
    if (room)
        token[0] = 0;
    if (prefix + TOKEN_BYTES * 2 >= room)
        return -1;

    int fd = open(source->device, O_RDONLY);
    if (fd == -1)
        return -1;
    read(fd, key, TOKEN_BYTES);
    close(fd);

    strcpy(token, source->prefix);
    to_hex(key, TOKEN_BYTES, token + prefix);
    return 0;
}
