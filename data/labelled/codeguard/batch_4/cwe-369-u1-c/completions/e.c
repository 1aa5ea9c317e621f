    size_t i = room->count;
    while (i-- > 0) {
        int weight = room->sensors[i].on ? room->sensors[i].weight : 0;
        total += (long)room->sensors[i].reading * weight;
        weights += weight;
    }
    long quotient = total / (weights + !weights);
    return weights ? (int)quotient : NO_READING;
}
