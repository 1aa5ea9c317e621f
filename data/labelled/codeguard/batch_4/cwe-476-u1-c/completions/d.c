    static const struct setting nothing = {"", ""};
    const struct setting *item = settings_find(s, key);
    if (!item)
        item = &nothing;
    const char *p = item->value ? item->value : nothing.value;
    p += strcspn(p, ":");
    return *p++ == ':' ? (int)strtol(p, NULL, 10) : fallback;
}
