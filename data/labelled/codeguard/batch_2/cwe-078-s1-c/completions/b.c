    char command[512];
    char line[64];
    int hits = -1;

    snprintf(command, sizeof(command), "grep -c -F '%s' %s", word, LOG_FILE);
    FILE *fp = popen(command, "r");
    if (fp == NULL) {
        return -1;
    }
    if (fgets(line, sizeof(line), fp) != NULL) {
        hits = atoi(line);
    }
    pclose(fp);
    return hits;
}
