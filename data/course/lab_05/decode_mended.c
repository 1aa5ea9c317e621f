#include <ctype.h>

static int digit(char c)
{
    return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10;
}

int decode(const char *text, char *out, int size)
{
    int used = 0;
    for (; *text; text++) {
        if (used + 1 >= size)
            return -1;
        if (*text == '%') {
            if (!isxdigit((unsigned char)text[1]) || !isxdigit((unsigned char)text[2]))
                return -1;
            out[used++] = digit(text[1]) * 16 + digit(text[2]);
            text += 2;
        } else {
            out[used++] = *text;
        }
    }
    if (size < 1)
        return -1;
    out[used] = 0;
    return used;
}
