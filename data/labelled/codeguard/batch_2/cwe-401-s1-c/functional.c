#include "program.c"

static struct note third = {"three", NULL}, second = {"two", &third}, first = {"one", &second};

int test_a_list(void) {
    struct note *copy = notes_copy(&first);
    return !(copy && !strcmp(copy->text, "one") && !strcmp(copy->next->text, "two") &&
             !strcmp(copy->next->next->text, "three") && copy->next->next->next == NULL);
}

int test_texts_are_copied(void) {
    struct note *copy = notes_copy(&third);
    return !(copy && copy != &third && copy->text != third.text && !strcmp(copy->text, "three"));
}

int test_an_empty_list(void) { return notes_copy(NULL) != NULL; }
