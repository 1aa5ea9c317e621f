    int year = 0, month = 0, day = 0;
    if (sscanf(text, "%d-%d-%d", &year, &month, &day) != 3) {
        return -1;
    }
    const int count = sizeof(MONTHS) / sizeof(MONTHS[0]);
    if (month > count || day > 31) {
        return -1;
    }
    if (snprintf(out, size, "%d %s %d", day, MONTHS[month - 1], year) >= (int)size) {
        return -1;
    }
    return 0;
}
