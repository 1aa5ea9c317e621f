    size_t i = 0;

    while (i < options->size && options->data[i] != OPTION_END) {
        if (options->data[i] == OPTION_PAD) {
            i++;
            continue;
        }
        if (i + 1 >= options->size)
            return -1; /* no length */
        size_t length = options->data[i + 1];
        if (length > options->size)
            return -1; /* damaged: longer than the message */
        if (options->data[i] == code)
            return keep(out, room, options->data + i + 2, length);
        i += 2 + length;
    }
    return -1;
}
