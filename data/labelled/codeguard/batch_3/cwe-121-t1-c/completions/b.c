    char host[HOST_MAX] = {0};
    size_t wanted = strlen(header);
    const char *port = memchr(header, ':', wanted);

    if (port != NULL)
        wanted = (size_t)(port - header);
    if (wanted > sizeof host - 1)
        wanted = sizeof host - 1;
    memcpy(host, header, wanted);
    lower(host);

    struct vhost *site = find_host(server, host);
    if (site == NULL)
        return server->default_root;
    site->hits++;
    return site->root;
}
