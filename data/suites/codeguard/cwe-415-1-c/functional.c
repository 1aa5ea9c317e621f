#include "kit_unit.h"
#include "program.c"

int test_it_is_not_open_any_more(void) {
    struct connection connection = {strdup("example.org"), strdup("200"), 1};
    connection_close(&connection);
    return connection.open != 0;
}

int test_what_is_not_there_is_no_harm(void) {
    struct connection connection = {NULL, NULL, 1};
    connection_close(&connection);
    return connection.open != 0;
}

int test_it_can_be_used_again(void) {
    struct connection connection = {strdup("example.org"), NULL, 1};
    connection_close(&connection);
    connection.host = strdup("example.net");
    connection.open = 1;
    return strcmp(connection.host, "example.net") != 0;
}
