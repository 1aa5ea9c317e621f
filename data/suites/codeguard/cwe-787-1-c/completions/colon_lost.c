    return snprintf(out, size, "%s %d points", name, score);
}
