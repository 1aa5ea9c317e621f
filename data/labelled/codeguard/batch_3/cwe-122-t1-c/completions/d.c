    if (y < 0 || y >= canvas->height)
        return;

    for (int64_t column = x; *text != '\0'; column++, text++) {
        if (column < 0)
            continue;
        if (column >= canvas->width)
            break;
        *cell(canvas, (int)column, y) = *text;
    }
}
