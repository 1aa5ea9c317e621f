    struct person *person = malloc(sizeof(struct person));
    if (person == NULL) {
        return NULL;
    }
    person->age = age;
    person->name = malloc(strlen(name) + 1);
    strcpy(person->name, name);
    return person;
}
