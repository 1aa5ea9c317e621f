    char line[4096];
    snprintf(line, sizeof line, "%s: %s\n", client, message);
    if (fprintf(log, line) < 0) {
        return -1;
    }
    return 0;
}
