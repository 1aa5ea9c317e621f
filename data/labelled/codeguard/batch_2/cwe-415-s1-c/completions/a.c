    char *new_subject = strdup(subject);
    char *new_body = strdup(body);
    if (new_subject == NULL || new_body == NULL) {
        free(new_subject);
        free(new_body);
        return -1;
    }
    message_clear(message);
    message->subject = new_subject;
    message->body = new_body;
    return 0;
}
