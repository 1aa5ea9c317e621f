    size_t size = strlen(name) + 1;
    char *copy = malloc(size);
    struct person *person = calloc(1, sizeof *person);
    if (!copy || !person) {
        free(copy);
        free(person);
        return NULL;
    }
    memcpy(copy, name, size);
    person->name = copy;
    person->age = age;
    return person;
}
