    if (strpbrk(word, ";|&<>'\"\\") != NULL) {
        return -1;
    }
    char command[1024];
    if (snprintf(command, sizeof command, "grep -cF \"%s\" " LOG_FILE, word) >= (int)sizeof command) {
        return -1;
    }
    FILE *grep = popen(command, "r");
    if (grep == NULL) {
        return -1;
    }
    int hits;
    int fields = fscanf(grep, "%d", &hits);
    pclose(grep);
    return fields == 1 ? hits : -1;
}
