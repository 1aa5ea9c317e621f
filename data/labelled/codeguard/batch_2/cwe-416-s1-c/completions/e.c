    struct point *points = polygon->points;

    if (polygon->count == 0) {
        return -1;
    }
    if (polygon->count >= polygon->capacity) {
        points = malloc((polygon->count + 8) * sizeof(struct point));
        if (points == NULL) {
            return -1;
        }
        memcpy(points, polygon->points, polygon->count * sizeof(struct point));
        free(polygon->points);
        polygon->points = points;
        polygon->capacity = polygon->count + 8;
    }
    points[polygon->count] = *points;
    polygon->count += 1;
    return 0;
}
