    char *command;
    if (asprintf(&command, "grep -c -F -e '%s' -- %s", phrase, search->file) < 0) return -1;
    FILE *out = popen(command, "r");
    free(command);
    if (!out) return -1;
    long n = read_count(out);
    pclose(out);
    search->last_count = n;
    return n;
}
