    if (connection == NULL || !connection->open) {
        return;
    }
    free(connection->host);
    free(connection->reply);
    connection->host = connection->reply = NULL;
    connection->open = 0;
}
