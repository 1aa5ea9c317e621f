    if (line == NULL) return NULL;
    const char *colon = strchr(line, ':');
    if (colon == NULL) return NULL;
    return colon + 1;
}
