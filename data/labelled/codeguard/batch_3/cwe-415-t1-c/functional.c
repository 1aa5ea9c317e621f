#include "program.c"

static struct roster *of(const char *first, const char *second, const char *third) {
    struct roster *roster = roster_new();
    if (first) roster_add(roster, first);
    if (second) roster_add(roster, second);
    if (third) roster_add(roster, third);
    return roster;
}

static int is(const struct roster *roster, const char *text) {
    char found[200] = "";
    for (size_t i = 0; i < roster->count; i++) {
        strcat(found, roster->names[i]);
        strcat(found, " ");
    }
    return strcmp(found, text) == 0;
}

int test_all_are_new(void) {
    struct roster *room = of("ada", NULL, NULL);
    return !(roster_merge(room, of("bob", "eve", NULL)) == 2 && is(room, "ada bob eve "));
}

int test_one_is_there_already(void) {
    struct roster *room = of("ada", "bob", NULL);
    return !(roster_merge(room, of("eve", "bob", "kim")) == 2 && is(room, "ada bob eve kim "));
}

int test_all_are_there_already(void) {
    struct roster *room = of("ada", "bob", NULL);
    return !(roster_merge(room, of("bob", "ada", NULL)) == 0 && is(room, "ada bob "));
}

int test_into_an_empty_room(void) {
    struct roster *room = roster_new();
    return !(roster_merge(room, of("bob", "eve", NULL)) == 2 && is(room, "bob eve "));
}

int test_an_empty_room(void) {
    struct roster *room = of("ada", NULL, NULL);
    return !(roster_merge(room, roster_new()) == 0 && is(room, "ada "));
}

int test_members_can_join_afterwards(void) {
    struct roster *room = of("ada", NULL, NULL);
    roster_merge(room, of("bob", NULL, NULL));
    return !(roster_add(room, "eve") == 0 && is(room, "ada bob eve "));
}
