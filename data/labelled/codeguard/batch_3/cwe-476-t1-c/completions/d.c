    const char *user = strstr(text, "://");
    const char *host = user ? strchr(user, '@') : NULL;
    const char *port = host ? strchr(host, ':') : NULL;
    const char *name = port ? strchr(port, '/') : NULL;
    char *keys, *rest, *pair;
    bool good;

    if (!name || user - text != 5 || memcmp(text, "queue", 5) != 0)
        return false; /* name is only there if all before it are */

    const char *end = name + strcspn(name, "?");
    good = copy_part(address->user, sizeof address->user, user + 3, host)
        && copy_part(address->host, sizeof address->host, host + 1, port)
        && to_number(port + 1, name, 65535, &address->port)
        && copy_part(address->name, sizeof address->name, name + 1, end);
    if (!good)
        return false;

    address->retries = 3;
    if (*end == '\0')
        return true;
    rest = keys = strdup(end + 1);
    while (good && rest != NULL && (pair = strsep(&rest, "&")) != NULL) {
        char *value = strchr(pair, '=');
        if (value == NULL || strncmp(pair, "retries", (size_t)(value - pair)) != 0 || value - pair != 7)
            continue;
        good = to_number(value + 1, value + strlen(value), 1000, &address->retries);
    }
    good = good && keys != NULL;
    free(keys);
    return good;
}
