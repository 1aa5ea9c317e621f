    if (connection->host == NULL) {
        return;
    }
    free(connection->host);
    free(connection->reply);
    connection->host = NULL;
    connection->reply = NULL;
    connection->open = 0;
}
