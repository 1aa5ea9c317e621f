    char host[HOST_MAX];
    char *colon;

    strcpy(host, header);
    if ((colon = strchr(host, ':')) != NULL)
        *colon = '\0';
    lower(host);

    struct vhost *site = find_host(server, host);
    if (site == NULL)
        return server->default_root;
    site->hits++;
    return site->root;
}
