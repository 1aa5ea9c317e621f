    size_t length = strlen(text);
    if (length > 0)
        memcpy(cell(canvas, x, y), text, length);
}
