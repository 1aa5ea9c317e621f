    for (size_t i = 0; i < room->count; i++) {
        const struct sensor *s = room->sensors + i;
        if (s->on) {
            total += (long)s->reading * s->weight;
            weights += s->weight;
        }
    }
    return weights > 0 ? (int)(total / weights) : NO_READING;
}
