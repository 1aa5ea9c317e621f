#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LINE 256

enum kind { SAID, WHISPERED, LEFT };

struct message {
    enum kind kind;
    char text[96]; // as the guest typed it
};

struct line {
    char buf[LINE];
    size_t len;
};

// Appends formatted output to the line and cuts it off at the end of the buffer.
static void line_addf(struct line *l, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(l->buf + l->len, LINE - l->len, fmt, ap);
    va_end(ap);
    if (n > 0)
        l->len = l->len + (size_t)n < LINE ? l->len + (size_t)n : LINE - 1;
}

// Fills the line with the message: "> text" if it was said, "(text)" if it was whispered,
// "* text" if the guest left. Whatever the line held before is replaced.
void render(struct line *l, const struct message *m) {
