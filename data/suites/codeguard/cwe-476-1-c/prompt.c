#include <stdlib.h>
#include <string.h>

struct person {
    char *name;
    int age;
};

// Returns a new person with a copy of the name, to be freed by the caller; NULL if there is not
// enough memory.
struct person *person_new(const char *name, int age) {
