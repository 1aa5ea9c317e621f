    int part[3];
    if (sscanf(text, "%d-%d-%d", part, part + 1, part + 2) != 3)
        return -1;
    if (part[0] < 0 || part[1] < 0 || part[2] < 0 || part[1] > 12 || part[2] > 31)
        return -1;
    const char *month = MONTHS[part[1] - 1];
    snprintf(out, size, "%d %s %d", part[2], month, part[0]);
    return 0;
}
