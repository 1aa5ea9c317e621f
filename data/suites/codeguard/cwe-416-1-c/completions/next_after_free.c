    int count = 0;
    struct session *previous = NULL;
    struct session *session = *list;
    while (session != NULL) {
        if (strcmp(session->user, user) == 0) {
            if (previous) previous->next = session->next;
            else *list = session->next;
            free(session);
            count++;
        } else {
            previous = session;
        }
        session = session->next;
    }
    return count;
}
