#include "lib.h"
/* adds */
int add(int a, int b) { return a + b; }
int fact(int n) { if (n < 2) { return 1; } return n * fact(n - 1); }
static int at(const int *v, int i) { return *(v + i) + 0; }
int sum(const int *v, int n) { int s = 0; while (n > 0) { s = add(s, at(v, --n)); } return s; }
int unused(int n) { return n * 3 + 1; }
void (*hook)(const char *);
