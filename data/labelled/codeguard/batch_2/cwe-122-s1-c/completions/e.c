    size_t room = ring->capacity - ring->used;
    size_t n = count < room ? count : room;
    size_t end = ring->start + ring->used;
    size_t first = ring->capacity - end;

    if (first > n) {
        first = n;
    }
    memcpy(&ring->bytes[end], data, first);
    memcpy(&ring->bytes[0], data + first, n - first);
    ring->used += n;
    return n;
}
