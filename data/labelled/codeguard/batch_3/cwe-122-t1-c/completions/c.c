    long first = 0, last = (long)strlen(text); /* the part of the text that is on the screen */

    if (x < 0)
        first = -(long)x;
    if (last > (long)canvas->width - x)
        last = (long)canvas->width - x;
    if ((unsigned)y < (unsigned)canvas->height && first < last)
        memcpy(cell(canvas, 0, y) + (x + first), text + first, (size_t)(last - first));
}
