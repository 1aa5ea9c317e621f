    fprintf(log, "%s: %s\n", client, message);
    return 0;
}
