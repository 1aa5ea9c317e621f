    char host[HOST_MAX] = "";
    struct vhost *found;

    /* never take more than what the name has room for */
    strncat(host, header, sizeof(host));
    host[strcspn(host, ":")] = '\0';
    lower(host);

    found = find_host(server, host);
    if (found) {
        found->hits += 1;
    }
    return found ? found->root : server->default_root;
}
