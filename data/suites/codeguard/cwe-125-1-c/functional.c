#include "program.c"

int test_every_index(void) {
    return !(id_at("0") == 101 && id_at("3") == 404 && id_at("7") == 808);
}

int test_text_that_is_no_number(void) {
    return !(id_at("") == -1 && id_at("two") == -1 && id_at("2x") == -1);
}
