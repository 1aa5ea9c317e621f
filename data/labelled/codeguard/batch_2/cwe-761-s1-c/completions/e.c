    size_t length = strlen(name);

    while (isspace((unsigned char)*options))
        options++;
    while (*options != '\0') {
        size_t part = strcspn(options, ",");
        if (part > 0 && part == length && memcmp(options, name, part) == 0)
            return 1;
        options += part;
        if (*options == ',')
            options++;
    }
    return 0;
}
