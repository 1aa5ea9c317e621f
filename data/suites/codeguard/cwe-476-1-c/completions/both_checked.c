    struct person *person = malloc(sizeof(struct person));
    if (person == NULL) {
        return NULL;
    }
    person->name = strdup(name);
    if (person->name == NULL) {
        free(person);
        return NULL;
    }
    person->age = age;
    return person;
}
