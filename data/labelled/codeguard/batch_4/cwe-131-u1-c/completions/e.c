    size_t size = cells_len(row) + row->count * sizeof(sep) + 1;
    char *out = malloc(size);
    if (out == NULL)
        return NULL;
    out[0] = 0;
    for (size_t i = 0; i < row->count; i++) {
        if (i > 0)
            strcat(out, sep);
        strcat(out, row->cells[i]);
    }
    return out;
}
