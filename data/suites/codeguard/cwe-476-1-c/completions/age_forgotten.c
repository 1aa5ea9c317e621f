    struct person *person = malloc(sizeof *person);
    if (!person) return NULL;
    person->name = strdup(name);
    if (!person->name) {
        free(person);
        return NULL;
    }
    return person;
}
