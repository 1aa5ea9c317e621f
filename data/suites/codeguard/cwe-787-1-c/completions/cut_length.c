    return snprintf(out, size < 8 ? size : 8, "%s: %d points", name, score);
}
