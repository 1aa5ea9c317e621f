    size_t n = ring->capacity - ring->used;
    if (n > count) n = count;

    size_t pos = (ring->start + ring->used) % ring->capacity;
    size_t part = ring->capacity - pos;
    if (part >= n) {
        memcpy(ring->bytes + pos, data, n);
    } else {
        memcpy(ring->bytes + pos, data, part);
        memcpy(ring->bytes, data, n - part);
    }
    ring->used += n;
    return n;
}
