    if (!width || !height || !depth || depth > 4) {
        return NULL;
    }
    uint32_t total = width * height * depth;
    if (total > RASTER_MAX) {
        return NULL;
    }
    struct raster *r = malloc(sizeof(*r));
    if (!r) {
        return NULL;
    }
    r->pixels = calloc(1, total);
    if (!r->pixels) {
        free(r);
        return NULL;
    }
    r->width = width;
    r->height = height;
    r->depth = depth;
    return r;
}
