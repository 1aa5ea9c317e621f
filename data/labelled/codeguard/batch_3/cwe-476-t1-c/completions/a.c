    const char *user, *host, *port, *name, *end, *retries;

    if (strncmp(text, "queue://", 8) != 0)
        return false;
    user = text + 8;
    host = strchr(user, '@') + 1;
    port = strchr(host, ':') + 1;
    name = strchr(port, '/') + 1;
    end = name + strcspn(name, "?");

    address->retries = 3;
    retries = strstr(end, "retries=");
    if (retries != NULL)
        address->retries = (unsigned)atoi(retries + strlen("retries="));

    return copy_part(address->user, sizeof address->user, user, host - 1)
        && copy_part(address->host, sizeof address->host, host, port - 1)
        && to_number(port, name - 1, 65535, &address->port)
        && copy_part(address->name, sizeof address->name, name, end);
}
