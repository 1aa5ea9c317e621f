    int active = 0;
    for (size_t i = 0; i < room->count; i++) {
        const struct sensor *s = &room->sensors[i];
        if (!s->on)
            continue;
        active++;
        total += (long)s->reading * s->weight;
        weights += s->weight;
    }
    if (active == 0)
        return NO_READING;
    return (int)(total / weights);
}
