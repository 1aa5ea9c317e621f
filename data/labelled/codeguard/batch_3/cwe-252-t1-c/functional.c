#include "program.c"

static int is_token(const char *token, const char *prefix)
{
    size_t skip = strlen(prefix);
    return strncmp(token, prefix, skip) == 0 && strlen(token) == skip + 2 * TOKEN_BYTES &&
           strspn(token + skip, "0123456789abcdef") == 2 * TOKEN_BYTES;
}

int test_a_token_of_the_usual_device(void)
{
    struct token_source source = {"/dev/urandom", "sess_"};
    char token[128] = "";
    return !(make_token(&source, token, sizeof token) == 0 && is_token(token, "sess_"));
}

int test_the_bytes_of_the_device(void)
{
    struct token_source source = {"device", ""};
    FILE *file = fopen("device", "wb");
    char token[64] = "";
    for (int i = 0; i < 40; i++) fputc(i * 7, file);
    fclose(file);
    return !(make_token(&source, token, sizeof token) == 0 &&
             strcmp(token, "00070e151c232a31383f464d545b626970777e858c939aa1") == 0);
}

int test_two_tokens_differ(void)
{
    struct token_source source = {"/dev/urandom", ""};
    char one[128], two[128];
    return make_token(&source, one, sizeof one) || make_token(&source, two, sizeof two) || strcmp(one, two) == 0;
}

int test_exactly_enough_room(void)
{
    struct token_source source = {"/dev/urandom", "ab"};
    char token[2 + 2 * TOKEN_BYTES + 1];
    return !(make_token(&source, token, sizeof token) == 0 && is_token(token, "ab"));
}

int test_too_little_room(void)
{
    struct token_source source = {"/dev/urandom", "ab"};
    char token[2 + 2 * TOKEN_BYTES];
    return !(make_token(&source, token, sizeof token) == -1 && token[0] == '\0');
}
