    uint16_t need = b->used + n;

    if (need > b->room) {
        void *grown = realloc(b->data, need);
        if (grown == NULL)
            return -1;
        b->data = grown;
        b->room = need;
    }
    memcpy(b->data + b->used, chunk, n);
    b->used += n;
    return 0;
}
