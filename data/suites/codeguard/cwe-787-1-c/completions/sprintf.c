    return sprintf(out, "%s: %d points", name, score);
}
