/* a library */
#include <stdlib.h>
#include "lib.h"
#define PUBLIC(type) type

/* Adds two numbers,
   as one would. */
PUBLIC(int) add(int a, int b)
{
    int sum = a + b; /* } */
    return sum;
}

static int (*choose(int which))(int, int) { return which ? add : 0; }

void nothing(void) { char c = '}'; (void)c; choose(1); }

int many(int n, ...) { return n + twice(n); }

int both(int a) {
#ifdef HARD
    if (a) {
#else
    if (!a) {
#endif
        return 1;
    }
    return 0;
}
