#include "program.c"

static int row_is(canvas_t *canvas, int y, const char *expected) {
    return memcmp(canvas->cells + y * canvas->width, expected, (size_t)canvas->width) == 0;
}

int test_a_text(void) {
    canvas_t *canvas = canvas_new(8, 3);
    canvas_text(canvas, 1, 1, "hello");
    return !(row_is(canvas, 0, "        ") && row_is(canvas, 1, " hello  ") && row_is(canvas, 2, "        "));
}

int test_the_whole_screen(void) {
    canvas_t *canvas = canvas_new(4, 2);
    canvas_text(canvas, 0, 0, "abcd");
    canvas_text(canvas, 0, 1, "efgh");
    return !(row_is(canvas, 0, "abcd") && row_is(canvas, 1, "efgh"));
}

int test_a_text_over_another(void) {
    canvas_t *canvas = canvas_new(6, 1);
    canvas_text(canvas, 0, 0, "aaaaaa");
    canvas_text(canvas, 2, 0, "bb");
    return !row_is(canvas, 0, "aabbaa");
}

int test_an_empty_text(void) {
    canvas_t *canvas = canvas_new(3, 1);
    canvas_text(canvas, 1, 0, "");
    return !row_is(canvas, 0, "   ");
}
