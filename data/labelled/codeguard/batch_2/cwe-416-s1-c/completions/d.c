    if (polygon->points == NULL || polygon->count < 1)
        return -1;

    struct point *end = polygon->points + polygon->count;
    if (polygon->count + 1 > polygon->capacity) {
        void *moved = realloc(polygon->points, (polygon->count + 1) * sizeof(struct point));
        if (moved == NULL)
            return -1;
        polygon->points = moved;
        polygon->capacity = polygon->count + 1;
    }
    memcpy(end, polygon->points, sizeof(struct point));
    polygon->count++;
    return 0;
}
