#include <stdio.h>
#include "lib.h"
int main(void) {
    int v[3] = {1, 2, 3};
    printf("sum %s\n", sum(v, 3) == 6 ? "ok" : "BAD");
    printf("none %s\n", sum(v, 0) == 0 ? "ok" : "BAD");
    return 0;
}
