    const uint8_t *at = options->data, *const end = at + options->size;

    for (;;) {
        uint8_t kind, length;
        do {
            if (at == end)
                return -1;
            kind = *at++;
        } while (kind == OPTION_PAD);
        if (kind == OPTION_END || at == end)
            return -1;
        length = *at++;
        if (end - at < length)
            return -1;
        if (kind == code)
            return keep(out, room, at, length);
        at += length;
    }
}
