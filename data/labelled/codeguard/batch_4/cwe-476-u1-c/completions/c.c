    const struct setting *found = settings_find(s, key);
    if (!found) {
        return fallback;
    }
    const char *value = found->value;
    size_t n = strlen(value);
    while (n > 0 && value[n - 1] != ':')
        n--;
    return n > 0 ? atoi(value + n) : fallback;
}
