    struct raster *r;
    size_t size = (size_t)width * height * depth;

    if (width == 0 || height == 0 || depth == 0 || depth > 4 || size > RASTER_MAX)
        return NULL;
    r = malloc(sizeof *r);
    if (r == NULL)
        return NULL;
    r->pixels = calloc(size, 1);
    if (r->pixels == NULL) {
        raster_free(r);
        return NULL;
    }
    r->width = width;
    r->height = height;
    r->depth = depth;
    return r;
}
