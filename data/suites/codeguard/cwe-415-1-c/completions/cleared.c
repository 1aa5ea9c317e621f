    free(connection->host);
    free(connection->reply);
    memset(connection, 0, sizeof *connection);
}
