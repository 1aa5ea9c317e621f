#include "program.c"

int test_the_form(void) {
    char token[TOKEN_LENGTH + 1] = "";
    return !(session_token(token) == 0 && strlen(token) == 32 && strspn(token, "0123456789abcdef") == 32);
}

int test_each_is_another(void) {
    char first[TOKEN_LENGTH + 1] = "", second[TOKEN_LENGTH + 1] = "";
    return !(session_token(first) == 0 && session_token(second) == 0 && strcmp(first, second) != 0);
}
