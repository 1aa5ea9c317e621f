#include "program.c"

int test_load_and_load_again(void) {
    struct slot s = {NULL, NULL};
    int bad = slot_load(&s, "font=Mono") || strcmp(s.key, "font") || strcmp(s.value, "Mono");
    bad |= slot_load(&s, "a=b=c") || strcmp(s.key, "a") || strcmp(s.value, "b=c");
    slot_clear(&s);
    return bad;
}

int test_bad_lines(void) {
    struct slot a = {NULL, NULL}, b = a, c = a;
    return !(slot_load(&a, "font") == -1 && slot_load(&b, "=x") == -1 && slot_load(&c, "font=") == -1);
}
