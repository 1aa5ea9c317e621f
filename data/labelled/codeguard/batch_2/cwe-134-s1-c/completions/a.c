    size_t used = 0, name_length = strlen(name);
    while (*template != '\0') {
        const char *piece = template;
        size_t length = 1;
        template++;
        if (strncmp(piece, "{name}", 6) == 0) {
            template = piece + 6;
            piece = name;
            length = name_length;
        }
        if (length >= size - used)
            return -1;
        memcpy(out + used, piece, length);
        used += length;
    }
    if (used >= size)
        return -1;
    out[used] = '\0';
    return 0;
}
