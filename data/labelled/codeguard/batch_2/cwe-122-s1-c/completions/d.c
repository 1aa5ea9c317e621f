    size_t room = ring->capacity - ring->used;
    if (count > room)
        count = room;

    size_t end = ring->start + ring->used;
    if (end >= ring->capacity)
        end -= ring->capacity;
    size_t tail = ring->capacity - end;
    memcpy(ring->bytes + end, data, count < tail ? count : tail);
    if (count > tail)
        memcpy(ring->bytes, data + tail, count - tail);
    ring->used += count;
    return count;
}
