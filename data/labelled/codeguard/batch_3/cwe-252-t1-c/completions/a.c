    uint8_t bytes[TOKEN_BYTES] = {0};
    size_t skip = strlen(source->prefix);
    FILE *device;

    if (room == 0)
        return -1;
    token[0] = '\0';
    if (room < skip + 2 * TOKEN_BYTES + 1)
        return -1;

    device = fopen(source->device, "rb");
    if (device == NULL) {
        fprintf(stderr, "%s: %s\n", source->device, strerror(errno));
        return -1;
    }
    setvbuf(device, NULL, _IONBF, 0);
    if (fread(bytes, 1, sizeof bytes, device) < 0) {
        fclose(device);
        return -1;
    }
    fclose(device);

    memcpy(token, source->prefix, skip);
    to_hex(bytes, sizeof bytes, token + skip);
    return 0;
}
