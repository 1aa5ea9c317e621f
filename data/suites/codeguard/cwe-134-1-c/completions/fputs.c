    if (fputs(client, log) == EOF || fputs(": ", log) == EOF) return -1;
    if (fputs(message, log) == EOF || fputc('\n', log) == EOF) return -1;
    return 0;
}
