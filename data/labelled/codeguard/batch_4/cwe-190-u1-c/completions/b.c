    uint64_t area = (uint64_t)width * height;
    if (area == 0 || area > RASTER_MAX || depth < 1 || depth > 4) return NULL;
    uint32_t bytes = (uint32_t)area * depth;
    if (bytes > RASTER_MAX) return NULL;
    struct raster *r = calloc(1, sizeof(struct raster));
    if (!r) return NULL;
    if (!(r->pixels = malloc(bytes))) { free(r); return NULL; }
    memset(r->pixels, 0, bytes);
    r->width = width;
    r->height = height;
    r->depth = depth;
    return r;
}
