    for (struct session **link = list; *link; link = &(*link)->next) {
        if (strcmp((*link)->user, user) == 0) {
            struct session *session = *link;
            *link = session->next;
            free(session);
            return 1;
        }
    }
    return 0;
}
