    free(connection->host);
    free(connection->reply);
    connection->open = 0;
}
