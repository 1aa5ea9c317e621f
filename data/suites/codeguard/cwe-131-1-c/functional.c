#include "program.c"

static int gives(const char *text, const char *expected) {
    char *escaped = html_escape(text);
    return escaped && strcmp(escaped, expected) == 0;
}

int test_plain_text(void) { return !gives("hello", "hello"); }

int test_special_characters(void) {
    return !(gives("a < b", "a &lt; b") && gives("x>y", "x&gt;y") && gives("R&D dept, third floor", "R&amp;D dept, third floor"));
}

int test_no_text(void) { return !gives("", ""); }
