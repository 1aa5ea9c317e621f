    char line[1024];
    snprintf(line, sizeof line, "%s: %s", client, message);
    return fprintf(log, "%s\n", line) < 0 ? -1 : 0;
}
