    if (polygon->count == 0) {
        return -1;
    }
    const struct point *first = &polygon->points[0];

    if (polygon->count == polygon->capacity) {
        size_t new_capacity = polygon->capacity ? polygon->capacity * 2 : 4;
        struct point *resized = realloc(polygon->points, new_capacity * sizeof(struct point));
        if (resized == NULL) {
            return -1;
        }
        polygon->points = resized;
        polygon->capacity = new_capacity;
    }
    polygon->points[polygon->count] = *first;
    polygon->count++;
    return 0;
}
