    struct person *person = malloc(sizeof(struct person));
    person->name = malloc(strlen(name) + 1);
    strcpy(person->name, name);
    person->age = age;
    return person;
}
