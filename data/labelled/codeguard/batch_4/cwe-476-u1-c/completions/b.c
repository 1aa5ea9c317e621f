    const struct setting *item = settings_find(s, key);
    const char *colon = strchr(item->value, ':');
    if (!colon)
        return fallback;
    return atoi(colon + 1);
}
