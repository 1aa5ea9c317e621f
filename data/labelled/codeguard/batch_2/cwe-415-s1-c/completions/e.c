    message_clear(message);

    message->subject = strdup(subject);
    if (message->subject == NULL)
        return -1;
    message->body = strdup(body);
    if (message->body == NULL) {
        free(message->subject);
        return -1;
    }
    return 0;
}
