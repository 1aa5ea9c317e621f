#include "program.c"

static int shows(enum kind kind, const char *text, const char *want) {
    struct message m = {kind, ""};
    struct line l;
    memset(&l, 'x', sizeof l);
    strcpy(m.text, text);
    l.buf[LINE - 1] = 0;
    render(&l, &m);
    return strcmp(l.buf, want) == 0 && l.len == strlen(want);
}

int test_said(void) { return !shows(SAID, "good evening", "> good evening"); }

int test_whispered(void) { return !shows(WHISPERED, "psst", "(psst)"); }

int test_left(void) { return !shows(LEFT, "bye", "* bye"); }
