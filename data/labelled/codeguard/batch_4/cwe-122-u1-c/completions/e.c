    size_t i;
    for (i = 0; i < n; i++) {
        if (b->used + i > b->room) {
            unsigned char *p = realloc(b->data, b->room * 2);
            if (!p)
                return -1;
            b->data = p;
            b->room *= 2;
        }
        b->data[b->used + i] = chunk[i];
    }
    b->used += n;
    return 0;
}
