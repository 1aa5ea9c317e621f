    struct person *person = malloc(sizeof *person);
    if (person == NULL) return NULL;
    person->name = (char *)name;
    person->age = age;
    return person;
}
