#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A screen of characters, row after row, without line ends. (0, 0) is the upper left corner. */
typedef struct canvas {
    int width, height;
    char *cells;
} canvas_t;

canvas_t *canvas_new(int width, int height)
{
    if (width < 1 || width > 1000 || height < 1 || height > 1000)
        return NULL;
    canvas_t *canvas = malloc(sizeof *canvas);
    if (canvas == NULL)
        return NULL;
    canvas->width = width;
    canvas->height = height;
    canvas->cells = malloc((size_t)width * (size_t)height);
    if (canvas->cells == NULL) {
        free(canvas);
        return NULL;
    }
    memset(canvas->cells, ' ', (size_t)width * (size_t)height);
    return canvas;
}

void canvas_free(canvas_t *canvas)
{
    if (canvas)
        free(canvas->cells);
    free(canvas);
}

static char *cell(canvas_t *canvas, int x, int y)
{
    return canvas->cells + (ptrdiff_t)y * canvas->width + x;
}

/*
 * Writes the text into row y, its first character in column x. Position and text are from a script
 * of a stranger; what lies outside of the screen is not shown.
 */
void canvas_text(canvas_t *canvas, int x, int y, const char *text)
{
