#include "program.c"

static int is(const char *text, const char *user, const char *host, unsigned port, const char *name, unsigned retries)
{
    queue_address found = {"", "", 0, "", 0};
    return parse_address(text, &found) && strcmp(found.user, user) == 0 && strcmp(found.host, host) == 0 &&
           found.port == port && strcmp(found.name, name) == 0 && found.retries == retries;
}

int test_an_address(void)
{
    return !(is("queue://ada@example.org:5672/mails", "ada", "example.org", 5672, "mails", 3) &&
             is("queue://b@h:1/n", "b", "h", 1, "n", 3));
}

int test_retries(void)
{
    return !(is("queue://ada@example.org:5672/mails?retries=7", "ada", "example.org", 5672, "mails", 7) &&
             is("queue://ada@example.org:5672/mails?tls=on&retries=0", "ada", "example.org", 5672, "mails", 0) &&
             is("queue://ada@example.org:5672/mails?retries=12&tls=on", "ada", "example.org", 5672, "mails", 12));
}

int test_other_keys(void) { return !is("queue://ada@example.org:5672/mails?tls=on", "ada", "example.org", 5672, "mails", 3); }

int test_wrong_parts(void)
{
    queue_address found;
    return parse_address("http://ada@example.org:80/mails", &found) || parse_address("queue://ada@example.org:x/mails", &found) ||
           parse_address("queue://@example.org:80/mails", &found) || parse_address("queue://ada@:80/mails", &found) ||
           parse_address("queue://ada@example.org:80/", &found) || parse_address("queue://ada@example.org:99999/mails", &found);
}
