#include "program.c"

static FILE *stream(const char *text) {
    FILE *file = tmpfile();
    fputs(text, file);
    rewind(file);
    return file;
}

int test_a_sentence(void) {
    char longest[WORD_SIZE] = "x";
    return !(longest_word(stream("the quick brown fox\njumped over"), longest) == 6 && strcmp(longest, "jumped") == 0);
}

int test_the_first_of_equals(void) {
    char longest[WORD_SIZE];
    return !(longest_word(stream(" ab cd  ef "), longest) == 3 && strcmp(longest, "ab") == 0);
}

int test_nothing(void) {
    char longest[WORD_SIZE] = "x";
    return !(longest_word(stream(" \n"), longest) == 0 && longest[0] == 0);
}
