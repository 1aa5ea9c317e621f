    FILE *f = fopen(path, "w");
    if (!f)
        return -1;
    int rc = ticket_write(fileno(f), t);
    fclose(f);
    return rc;
}
