    struct { uint8_t at[TOKEN_BYTES]; } block;
    size_t blocks = 0, used = strlen(source->prefix);

    if (room != 0)
        memset(token, 0, room);

    FILE *stream = fopen(source->device, "r");
    if (stream) {
        setvbuf(stream, NULL, _IONBF, 0);
        blocks = fread(&block, sizeof block, 1, stream);
        (void)fclose(stream);
    }

    int fits = room > used && room - used > 2 * sizeof block.at;
    if (fits && blocks) {
        memcpy(token, source->prefix, used);
        to_hex(block.at, sizeof block.at, token + used);
    }
    return fits && blocks ? 0 : -1;
}
