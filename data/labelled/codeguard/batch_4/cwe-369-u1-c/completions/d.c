    int average = NO_READING;
    for (const struct sensor *s = room->sensors, *end = s + room->count; s != end; s++) {
        if (!s->on || s->weight <= 0)
            continue;
        total += (long)s->reading * s->weight;
        weights += s->weight;
        average = (int)(total / weights);
    }
    return average;
}
