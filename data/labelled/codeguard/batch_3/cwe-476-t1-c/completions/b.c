    static const char scheme[] = "queue://";
    const char *at, *colon, *slash, *key;

    if (strncmp(text, scheme, sizeof scheme - 1) != 0)
        return false;
    text += sizeof scheme - 1;

    if ((at = strchr(text, '@')) == NULL)
        return false;
    if ((colon = strchr(at, ':')) == NULL)
        return false;
    if ((slash = strchr(colon, '/')) == NULL)
        return false;
    if (!copy_part(address->user, sizeof address->user, text, at))
        return false;
    if (!copy_part(address->host, sizeof address->host, at + 1, colon))
        return false;
    if (!to_number(colon + 1, slash, 65535, &address->port))
        return false;

    key = strchr(slash, '?');
    if (!copy_part(address->name, sizeof address->name, slash + 1, key ? key : strchr(slash, '\0')))
        return false;

    address->retries = 3;
    while (key != NULL) {
        const char *begin = key + 1;
        const char *value = strchr(begin, '=');
        const char *next = strchr(begin, '&');
        const char *stop = next ? next : begin + strlen(begin);

        if (*value == '=' && value - begin == 7 && strncmp(begin, "retries", 7) == 0) {
            if (!to_number(value + 1, stop, 1000, &address->retries))
                return false;
        }
        key = next;
    }
    return true;
}
