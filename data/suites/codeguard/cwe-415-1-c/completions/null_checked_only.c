    if (connection->host != NULL) {
        free(connection->host);
    }
    if (connection->reply != NULL) {
        free(connection->reply);
    }
    connection->open = 0;
}
