    if (width == 0 || height == 0 || depth == 0 || depth > 4)
        return NULL;
    if (width > RASTER_MAX / depth || height > RASTER_MAX / depth / width)
        return NULL;
    struct raster *r = malloc(sizeof *r);
    if (r == NULL)
        return NULL;
    r->pixels = calloc((size_t)width * height, depth);
    if (r->pixels == NULL) {
        free(r);
        return NULL;
    }
    r->width = width;
    r->height = height;
    r->depth = depth;
    return r;
}
