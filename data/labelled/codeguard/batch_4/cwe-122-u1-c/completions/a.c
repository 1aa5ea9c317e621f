    if (n > b->room - b->used) {
        size_t room = b->room;
        while (room - b->used < n)
            room *= 2;
        unsigned char *bigger = realloc(b->data, room);
        if (!bigger)
            return -1;
        b->data = bigger;
        b->room = room;
    }
    memcpy(b->data + b->used, chunk, n);
    b->used += n;
    return 0;
}
