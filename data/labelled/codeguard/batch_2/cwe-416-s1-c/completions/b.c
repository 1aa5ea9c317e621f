    size_t n = polygon->count;
    if (n == 0) return -1;

    struct point *old = polygon->points;
    if (n == polygon->capacity) {
        struct point *bigger = calloc(n + 1, sizeof *bigger);
        if (!bigger) return -1;
        memcpy(bigger, old, n * sizeof *old);
        free(old);
        polygon->points = bigger;
        polygon->capacity = n + 1;
    }
    polygon->points[n].x = old->x;
    polygon->points[n].y = old->y;
    polygon->count = n + 1;
    return 0;
}
