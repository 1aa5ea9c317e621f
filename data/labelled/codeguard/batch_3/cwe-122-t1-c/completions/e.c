    if (x < 0 || x >= canvas->width || y < 0 || y >= canvas->height)
        return;
    char *to = cell(canvas, x, y);
    while (*text)
        *to++ = *text++;
}
