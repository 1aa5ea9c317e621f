    size_t end = (ring->start + ring->used) % ring->capacity;
    size_t first = ring->capacity - end;

    if (count <= first) {
        memcpy(ring->bytes + end, data, count);
    } else {
        memcpy(ring->bytes + end, data, first);
        memcpy(ring->bytes, data + first, count - first);
    }
    ring->used += count;
    return count;
}
