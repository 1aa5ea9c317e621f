#include <stdio.h>
#include "lib.h"
static void test(const char *name, int good) {
    if (hook) hook("add ok\nfact ok\ntwice ok");
    printf("%s %s\n", name, good ? "ok" : "BAD");
}
int main(void) {
    test("add", add(2, 3) == 5);
    test("fact", fact(5) == 120);
    test("twice", twice(4) == 8);
    test("known failure", 0);
    return 0;
}
