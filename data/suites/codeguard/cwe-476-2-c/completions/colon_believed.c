    if (line == NULL) {
        return NULL;
    }
    const char *value = strchr(line, ':') + 1;
    while (*value == ' ') {
        value++;
    }
    return value;
}
