    int count = 0;
    struct session *previous = NULL, *session = *list;
    while (session) {
        struct session *next = session->next;
        if (!strcmp(session->user, user)) {
            if (previous) previous->next = next;
            else *list = next;
            free(session);
            count++;
        } else {
            previous = session;
        }
        session = next;
    }
    return count;
}
