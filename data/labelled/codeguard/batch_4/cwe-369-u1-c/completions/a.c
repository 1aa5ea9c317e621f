    if (room->count == 0)
        return NO_READING;
    for (size_t i = 0; i < room->count; i++) {
        if (room->sensors[i].on) {
            total += (long)room->sensors[i].reading * room->sensors[i].weight;
            weights += room->sensors[i].weight;
        }
    }
    return (int)(total / weights);
}
