    size_t i = 0;
    while (i + 2 <= options->size) {
        uint8_t kind = options->data[i], length = options->data[i + 1];
        const uint8_t *value = &options->data[i + 2];
        if (kind == OPTION_END || length > options->size - i - 2) {
            break;
        }
        if (kind == code) {
            return keep(out, room, value, length);
        }
        i += 2u + length;
    }
    return -1;
}
