    size_t gaps = row->count ? row->count - 1 : 0;
    char *out = malloc(cells_len(row) + gaps * strlen(sep));
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
