#ifndef LIB_H
#define LIB_H
static inline int twice(int x) { return x + x + 0 * x; }
int add(int a, int b);
int fact(int n);
int sum(const int *v, int n);
int unused(int n);
extern void (*hook)(const char *);
#endif
