    if (fprintf(log, "%s: %s\n", client, message) < 0) {
        return -1;
    }
    return fflush(log) == 0 ? 0 : -1;
}
