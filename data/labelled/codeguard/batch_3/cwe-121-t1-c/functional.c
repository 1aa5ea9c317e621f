#include "program.c"

static struct vhost hosts[] = {{"example.org", "/srv/example", 0}, {"shop.example.org", "/srv/shop", 0}};
static struct server server = {hosts, 2, "/srv/default"};

static int is(const char *header, const char *root) { return strcmp(server_root(&server, header), root) == 0; }

int test_a_site(void) { return !(is("example.org", "/srv/example") && is("shop.example.org", "/srv/shop")); }

int test_any_case(void) { return !is("Shop.EXAMPLE.org", "/srv/shop"); }

int test_a_port(void) { return !(is("example.org:8080", "/srv/example") && is("Example.Org:", "/srv/example")); }

int test_no_such_site(void) { return !(is("example.com", "/srv/default") && is("", "/srv/default") && is(":80", "/srv/default")); }

int test_hits_are_counted(void) {
    is("example.org", "");
    is("EXAMPLE.org:80", "");
    is("nobody", "");
    return !(hosts[0].hits == 2 && hosts[1].hits == 0);
}
