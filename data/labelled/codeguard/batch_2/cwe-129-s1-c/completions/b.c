    int year, month, day;
    char rest;

    if (sscanf(text, "%d-%d-%d%c", &year, &month, &day, &rest) != 3)
        return -1;
    if (month < 1 || month > 12 || day < 1 || day > 31)
        return -1;
    int n = snprintf(out, size, "%d %s %d", day, MONTHS[month - 1], year);
    return n < 0 || (size_t)n >= size ? -1 : 0;
}
