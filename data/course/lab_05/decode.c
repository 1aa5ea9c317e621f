#include <ctype.h>

static int digit(char c)
{
    return isdigit(c) ? c - '0' : tolower(c) - 'a' + 10;
}

/* Decodes %41 to A. out has room for size characters with the closing zero.
   Returns the length of the result, or -1 where it does not fit or where no two hexadecimal
   digits follow a %. */
int decode(const char *text, char *out, int size)
{
    int used = 0;
    for (; *text; text++) {
        if (used == size)
            return -1;
        if (*text == '%') {
            out[used++] = digit(text[1]) * 16 + digit(text[2]);
            text += 2;
        } else {
            out[used++] = *text;
        }
    }
    out[used] = 0;
    return used;
}
