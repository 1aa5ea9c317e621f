    int y, m, d;
    if (sscanf(text, "%4d-%2d-%2d", &y, &m, &d) != 3) {
        return -1;
    }
    snprintf(out, size, "%d %s %d", d, MONTHS[m - 1], y);
    return 0;
}
