    if (width < 1 || height < 1 || depth < 1 || depth > 4) return NULL;
    size_t line = width * depth;
    if (line > RASTER_MAX || height > RASTER_MAX) return NULL;
    if (line * height > RASTER_MAX) return NULL;
    struct raster *r = malloc(sizeof *r);
    if (r == NULL) return NULL;
    r->pixels = calloc(height, line);
    if (r->pixels == NULL) { free(r); return NULL; }
    r->width = width;
    r->height = height;
    r->depth = depth;
    return r;
}
