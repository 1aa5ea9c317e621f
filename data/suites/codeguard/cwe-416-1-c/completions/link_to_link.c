    int count = 0;
    struct session **link = list;
    while (*link != NULL) {
        struct session *session = *link;
        if (strcmp(session->user, user) == 0) {
            *link = session->next;
            free(session);
            count++;
        } else {
            link = &session->next;
        }
    }
    return count;
}
