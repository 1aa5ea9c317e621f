    const struct setting *item = settings_find(s, key);
    if (!item || !item->value)
        return fallback;
    const char *port = strchr(item->value, ':');
    if (*port == '\0')
        return fallback;
    return atoi(port + 1);
}
