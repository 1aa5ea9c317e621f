    free(connection->host);
    free(connection->reply);
    connection->host = NULL;
    connection->reply = NULL;
}
