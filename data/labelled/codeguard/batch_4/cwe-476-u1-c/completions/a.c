    const struct setting *item = settings_find(s, key);
    if (item == NULL || item->value == NULL)
        return fallback;
    const char *colon = strrchr(item->value, ':');
    return colon ? atoi(colon + 1) : fallback;
}
