    /* With 257 zeros behind the message, no length of one byte leads out of the copy. */
    size_t size = options->size;
    uint8_t *copy = calloc(size + 257, 1);
    int result = -1;
    if (copy == NULL)
        return -1;
    if (size > 0)
        memcpy(copy, options->data, size);

    for (size_t i = 0; i < size; i += copy[i] == OPTION_PAD ? 1 : 2 + (size_t)copy[i + 1]) {
        if (copy[i] == OPTION_END)
            break;
        if (copy[i] == OPTION_PAD || copy[i] != code)
            continue;
        if (i + 2 + copy[i + 1] <= size)
            result = keep(out, room, copy + i + 2, copy[i + 1]);
        break;
    }
    free(copy);
    return result;
}
