    free(message->subject);
    message->subject = strdup(subject);
    free(message->body);
    message->body = strdup(body);
    return message->subject && message->body ? 0 : -1;
}
