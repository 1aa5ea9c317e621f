    int length = snprintf(NULL, 0, "%s: %d points", name, score);
    if (length >= 0) {
        snprintf(out, size, "%s: %d points", name, score);
    }
    return length;
}
