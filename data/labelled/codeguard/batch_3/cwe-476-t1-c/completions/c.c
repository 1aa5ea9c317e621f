    const char *at, *colon, *slash, *end;
    const char *user = text + strlen("queue://");

    if (strncmp(text, "queue://", strlen("queue://")) != 0)
        return false;
    at = user + strcspn(user, "@");
    colon = at + strcspn(at, ":/?");
    slash = colon + strcspn(colon, "/?");
    end = slash + strcspn(slash, "?");
    if (*at != '@' || *colon != ':' || *slash != '/')
        return false;

    if (!copy_part(address->user, sizeof address->user, user, at) ||
        !copy_part(address->host, sizeof address->host, at + 1, colon) ||
        !copy_part(address->name, sizeof address->name, slash + 1, end) ||
        !to_number(colon + 1, slash, 65535, &address->port))
        return false;

    address->retries = 3;
    for (const char *key = end; *key != '\0';) {
        key++;
        size_t length = strcspn(key, "&");
        if (length > 8 && memcmp(key, "retries=", 8) == 0 && !to_number(key + 8, key + length, 1000, &address->retries))
            return false;
        key += length;
    }
    return true;
}
