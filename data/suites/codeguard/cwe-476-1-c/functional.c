#include "program.c"

int test_name_and_age(void) {
    struct person *person = person_new("Ada", 36);
    return !(person && person->age == 36 && strcmp(person->name, "Ada") == 0);
}

int test_the_name_is_a_copy(void) {
    char name[] = "Bob";
    struct person *person = person_new(name, 5);
    name[0] = 'R';
    return !(person->name != name && strcmp(person->name, "Bob") == 0);
}

int test_an_empty_name(void) {
    struct person *person = person_new("", 0);
    return !(person && person->name[0] == 0 && person->age == 0);
}
