    if (setenv("LOG_PHRASE", phrase, 1) != 0 || setenv("LOG_FILE", search->file, 1) != 0) {
        perror("setenv");
        return -1;
    }
    FILE *grep = popen("exec grep -cF -e \"$LOG_PHRASE\" -- \"$LOG_FILE\" 2>/dev/null", "r");
    unsetenv("LOG_PHRASE");
    unsetenv("LOG_FILE");
    if (grep == NULL) {
        return -1;
    }
    search->last_count = read_count(grep);
    pclose(grep);
    return search->last_count;
}
