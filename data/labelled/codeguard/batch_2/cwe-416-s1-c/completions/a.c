    if (polygon->count == 0)
        return -1;
    struct point first = polygon->points[0];
    if (polygon->count == polygon->capacity) {
        size_t capacity = polygon->capacity * 2;
        struct point *points = realloc(polygon->points, capacity * sizeof *points);
        if (points == NULL)
            return -1;
        polygon->points = points;
        polygon->capacity = capacity;
    }
    polygon->points[polygon->count++] = first;
    return 0;
}
