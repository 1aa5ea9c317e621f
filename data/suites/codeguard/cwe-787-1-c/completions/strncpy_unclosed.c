    char line[512];
    int length = snprintf(line, sizeof line, "%s: %d points", name, score);
    strncpy(out, line, size);
    return length;
}
