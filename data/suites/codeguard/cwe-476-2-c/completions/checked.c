    if (line == NULL) {
        return NULL;
    }
    const char *colon = strchr(line, ':');
    if (colon == NULL) {
        return NULL;
    }
    const char *value = colon + 1;
    while (*value == ' ') {
        value++;
    }
    return value;
}
