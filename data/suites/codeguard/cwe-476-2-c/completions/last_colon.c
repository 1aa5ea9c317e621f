    if (line == NULL) return NULL;
    const char *colon = strrchr(line, ':');
    if (colon == NULL) return NULL;
    colon++;
    while (*colon == ' ') colon++;
    return colon;
}
