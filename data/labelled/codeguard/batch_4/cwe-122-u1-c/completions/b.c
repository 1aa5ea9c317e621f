    if (b->used + n > b->room) {
        size_t room = b->room * 2;
        unsigned char *p = realloc(b->data, room);
        if (p == NULL) {
            return -1;
        }
        b->data = p;
        b->room = room;
    }
    memcpy(&b->data[b->used], chunk, n);
    b->used += n;
    return 0;
}
