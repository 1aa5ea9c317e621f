    int count = 0;
    struct session **link = list;
    while (*link) {
        struct session *session = *link;
        if (session->user[0] == user[0]) {
            *link = session->next;
            free(session);
        } else {
            link = &session->next;
            count++;
        }
    }
    return count;
}
