#include <string.h>

/* Copies a name of text into out, which has room for size characters with the closing zero.
   Returns the length of the name, or -1 where it does not fit. */
int copy_name(const char *name, char *out, int size)
{
    int length = strlen(name);
    if (length > size)
        return -1;
    strcpy(out, name);
    return length;
}
