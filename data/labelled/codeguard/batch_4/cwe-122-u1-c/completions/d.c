    unsigned char *fresh = malloc(b->used + n + FIRST_ROOM);
    if (!fresh) return -1;
    memcpy(fresh, b->data, b->used);
    unsigned char *to = fresh + b->used;
    for (size_t i = 0; i < n; i++)
        *to++ = chunk[i];
    free(b->data);
    b->data = fresh;
    b->room = b->used + n + FIRST_ROOM;
    b->used = (size_t)(to - fresh);
    return 0;
}
