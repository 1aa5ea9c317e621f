    struct message fresh = {NULL, NULL};
    if (*subject && !(fresh.subject = strdup(subject))) {
        return -1;
    }
    if (*body && !(fresh.body = strdup(body))) {
        message_clear(&fresh);
        return -1;
    }
    message_clear(message);
    *message = fresh;
    return 0;
}
