    free(connection->host);
    connection->host = NULL;
    free(connection->reply);
    connection->reply = NULL;
    connection->open = 0;
}
