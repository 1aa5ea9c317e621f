    char host[HOST_MAX];
    int i = 0;

    for (const char *p = header; *p != '\0' && *p != ':'; p++) {
        if (i == HOST_MAX - 1) {
            return server->default_root;
        }
        host[i++] = (char)tolower((unsigned char)*p);
    }
    host[i] = 0;

    struct vhost *site = find_host(server, host);
    if (site != NULL) {
        site->hits++;
        return site->root;
    }
    return server->default_root;
}
