    char *copy = strdup(text);
    char *user, *host, *port, *name, *keys;
    bool good = false;

    address->retries = 3;
    if (strncmp(copy, "queue://", 8) == 0) {
        user = copy + 8;
        host = strchr(user, '@');
        if (host == NULL)
            goto out;
        port = strchr(host, ':');
        if (port == NULL)
            goto out;
        name = strchr(port, '/');
        if (name == NULL)
            goto out;
        keys = strchr(name, '?');
        if (keys == NULL)
            keys = name + strlen(name);

        good = copy_part(address->user, sizeof address->user, user, host) &&
               copy_part(address->host, sizeof address->host, host + 1, port) &&
               to_number(port + 1, name, 65535, &address->port) &&
               copy_part(address->name, sizeof address->name, name + 1, keys);

        for (char *key = strtok(keys, "?&"); good && key != NULL; key = strtok(NULL, "?&")) {
            if (strncmp(key, "retries=", 8) == 0)
                good = to_number(key + 8, key + strlen(key), 1000, &address->retries);
        }
    }
out:
    free(copy);
    return good;
}
