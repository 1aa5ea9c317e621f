    if (!line) return NULL;
    while (*line && *line != ':') line++;
    if (*line == '\0') return NULL;
    line++;
    while (isspace((unsigned char)*line)) line++;
    return line;
}
