    if (fprintf(log, "%s: ", client) < 0 || fprintf(log, message) < 0 || fputc('\n', log) == EOF) {
        return -1;
    }
    return 0;
}
