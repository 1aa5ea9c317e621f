#include "program.c"

static long count(const char *phrase) {
    struct log_search search = {"logs/app.log", 0};
    long found = log_search_run(&search, phrase);
    return search.last_count == found ? found : -2;
}

int test_a_word(void) { return count("printer") != 1; }

int test_a_phrase_with_a_blank(void) { return count("disk full") != 2; }

int test_nothing_contains_it(void) { return count("no such words") != 0; }

int test_characters_of_patterns(void) { return count("a*b") != 1 || count("$HOME") != 1 || count("(really)") != 1; }

int test_a_phrase_like_an_option(void) { return count("-v") != 1; }

int test_no_such_log(void) {
    struct log_search search = {"logs/missing.log", 0};
    return log_search_run(&search, "disk") != -1;
}
