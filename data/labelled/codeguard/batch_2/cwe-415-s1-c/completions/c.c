    free(message->subject);
    free(message->body);

    char *s = strdup(subject);
    if (s == NULL) {
        return -1;
    }
    char *b = strdup(body);
    if (b == NULL) {
        free(s);
        return -1;
    }
    message->subject = s;
    message->body = b;
    return 0;
}
