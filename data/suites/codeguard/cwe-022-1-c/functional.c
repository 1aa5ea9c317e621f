#include "program.c"

int test_a_page(void) { return page_size("index.txt") != 8; }

int test_a_page_in_a_subfolder(void) { return page_size("news/today.txt") != 6; }

int test_no_such_page(void) { return page_size("missing.txt") != -1; }

int test_dots_inside_a_name(void) { return page_size("a.b.txt") != 2; }
