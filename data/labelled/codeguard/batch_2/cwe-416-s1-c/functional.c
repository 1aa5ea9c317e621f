#include "program.c"

static struct polygon triangle(size_t capacity) {
    struct polygon polygon = {calloc(capacity, sizeof(struct point)), 3, capacity};
    polygon.points[0] = (struct point){1, 2};
    polygon.points[1] = (struct point){5, 2};
    polygon.points[2] = (struct point){3, 7};
    return polygon;
}

int test_room_enough(void) {
    struct polygon polygon = triangle(4);
    return !(polygon_close(&polygon) == 0 && polygon.count == 4 && polygon.points[3].x == 1 && polygon.points[3].y == 2);
}

int test_the_array_grows(void) {
    struct polygon polygon = triangle(3);
    return !(polygon_close(&polygon) == 0 && polygon.count == 4 && polygon.capacity >= 4 && polygon.points[2].y == 7);
}

int test_no_points(void) {
    struct polygon polygon = {NULL, 0, 0};
    return !(polygon_close(&polygon) == -1 && polygon.count == 0);
}
