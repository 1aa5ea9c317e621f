#include "program.c"

int test_a_word_on_two_lines(void) { return count_hits("GET") != 2; }

int test_a_word_that_is_nowhere(void) { return count_hits("PATCH") != 0; }

int test_words_with_a_blank(void) { return count_hits("POST /cart") != 1; }

int test_a_dot_is_a_dot(void) { return count_hits("index.html") != 1; }
