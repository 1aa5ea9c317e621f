#include "program.c"

static const struct setting items[] = {{"api", "example.org:8080"}, {"db", "localhost:5432"}};
static const struct settings all = {items, 2};

int test_the_first_setting(void) { return settings_port(&all, "api", 1) != 8080; }

int test_the_second_setting(void) { return settings_port(&all, "db", 1) != 5432; }
