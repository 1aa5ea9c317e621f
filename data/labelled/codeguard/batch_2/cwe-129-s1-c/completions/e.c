    char *end;
    long year = strtol(text, &end, 10);
    if (end == text || *end != '-')
        return -1;
    text = end + 1;
    unsigned long month = strtoul(text, &end, 10) - 1;
    if (end == text || *end != '-' || month >= sizeof MONTHS / sizeof MONTHS[0])
        return -1;
    text = end + 1;
    long day = strtol(text, &end, 10);
    if (end == text || *end != '\0')
        return -1;
    snprintf(out, size, "%ld %s %ld", day, MONTHS[month], year);
    return 0;
}
