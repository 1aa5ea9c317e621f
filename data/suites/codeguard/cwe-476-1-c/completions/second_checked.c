    struct person *person = malloc(sizeof *person);
    person->age = age;
    person->name = strdup(name);
    if (!person->name) {
        free(person);
        return NULL;
    }
    return person;
}
