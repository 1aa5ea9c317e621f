    const int total = canvas->width * canvas->height;

    for (int i = 0; text[i] != '\0'; i++) {
        if (x > canvas->width - 1 - i)
            break; /* right of the screen */
        int index = y * canvas->width + x + i;
        if (index >= total)
            break; /* below the screen */
        canvas->cells[index] = text[i];
    }
}
