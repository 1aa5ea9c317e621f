    free(connection->host);
    connection->host = NULL;
    if (connection->reply) free(connection->reply);
    connection->open = 0;
}
