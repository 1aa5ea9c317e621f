    const char *colon = strchr(line, ':');
    if (!colon) return NULL;
    colon++;
    colon += strspn(colon, " ");
    return colon;
}
