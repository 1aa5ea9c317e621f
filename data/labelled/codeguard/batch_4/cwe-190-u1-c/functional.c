#include "program.c"

int test_a_raster(void) {
    struct raster *r = raster_new(20, 10, 3);
    int bad;
    if (!r) return 1;
    bad = r->width != 20 || r->height != 10 || r->depth != 3;
    for (size_t i = 0; i < 600; i++) bad |= r->pixels[i] != 0;
    raster_set(r, 19, 9, 7);
    bad |= r->pixels[599] != 7;
    raster_free(r);
    return bad;
}

int test_refused(void) {
    return raster_new(0, 1, 1) || raster_new(1, 0, 1) || raster_new(1, 1, 0) || raster_new(1, 1, 5)
        || raster_new(4096, 4097, 1) || raster_new(4096, 4096, 2);
}

int test_the_largest(void) {
    struct raster *r = raster_new(4096, 4096, 1);
    if (!r) return 1;
    raster_free(r);
    return 0;
}
