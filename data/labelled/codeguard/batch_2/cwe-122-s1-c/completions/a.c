    size_t n = 0;

    while (n < count && ring->used < ring->capacity) {
        ring->bytes[(ring->start + ring->used) % ring->capacity] = data[n++];
        ring->used += 1;
    }
    return n;
}
