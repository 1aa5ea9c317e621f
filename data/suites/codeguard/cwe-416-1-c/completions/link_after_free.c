    int count = 0;
    struct session **link = list;
    while (*link) {
        struct session *session = *link;
        if (strcmp(session->user, user) != 0) {
            link = &session->next;
            continue;
        }
        free(session);
        *link = session->next;
        count++;
    }
    return count;
}
