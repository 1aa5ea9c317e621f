#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define RASTER_MAX (16u * 1024 * 1024) /* bytes of pixels that one raster may have */

struct raster {
    uint32_t width, height;
    uint32_t depth; /* bytes per pixel */
    uint8_t *pixels;
};

void raster_free(struct raster *r) {
    if (r != NULL)
        free(r->pixels);
    free(r);
}

/* Sets all bytes of a pixel; a pixel outside the raster is ignored. */
void raster_set(struct raster *r, uint32_t x, uint32_t y, uint8_t value) {
    if (x < r->width && y < r->height)
        memset(r->pixels + ((size_t)y * r->width + x) * r->depth, value, r->depth);
}

/* Makes a raster of the size that the header of a picture file names, all pixels zero.
 * Returns NULL if a number is 0, the depth is above 4, the pixels need more than RASTER_MAX
 * bytes, or there is no memory. */
struct raster *raster_new(uint32_t width, uint32_t height, uint32_t depth) {
