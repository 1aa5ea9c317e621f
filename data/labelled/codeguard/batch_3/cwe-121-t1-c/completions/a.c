    char host[HOST_MAX];
    size_t length = strcspn(header, ":");

    if (length >= HOST_MAX)
        return server->default_root; /* no site has a name of this length */

    sprintf(host, "%.*s", (int)length, header);
    lower(host);

    struct vhost *site = find_host(server, host);
    if (!site)
        return server->default_root;
    ++site->hits;
    return site->root;
}
