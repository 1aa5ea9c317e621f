#include <stdlib.h>
#include <string.h>

struct point {
    double x, y;
};

struct polygon {
    struct point *points;
    size_t count;
    size_t capacity;
};

// Appends a copy of the first point, so that the outline is closed. There is room for capacity points;
// the array grows where that is not enough. Returns 0; -1, and the polygon stays as it is, if it has no
// points or there is no memory.
int polygon_close(struct polygon *polygon) {
