#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node *next;
    char *name;
    int count;
};

void copy_all(const char *from) {
    char room[16];
    strcpy(room, from);  // finds: c-unbounded-copy
}

void copy_checked(const char *from) {
    char room[16];
    if (strlen(from) >= sizeof room) {
        return;
    }
    strcpy(room, from);
}

void copy_bounded(const char *from) {
    char room[16];
    snprintf(room, sizeof room, "%s", from);
}

void print_all(const char *from) {
    char room[16];
    sprintf(room, "<%s>", from);  // finds: c-unbounded-copy
}

void read_too_much(void) {
    char room[16];
    fgets(room, 64, stdin);  // finds: c-bound-larger-than-buffer c-answer-ignored
}

void read_enough(void) {
    char room[16];
    fgets(room, 16, stdin);  // finds: c-answer-ignored
}

static int cells[8];

int cell(int n) {
    return cells[n];  // finds: c-read-index-without-upper-bound c-index-without-lower-bound
}

int cell_upper(int n) {
    if (n >= 8) {
        return 0;
    }
    return cells[n];  // finds: c-index-without-lower-bound
}

int cell_checked(int n) {
    if (n < 0 || n >= 8) {
        return 0;
    }
    return cells[n];
}

void set(unsigned n, int value) {
    cells[n] = value;  // finds: c-index-without-upper-bound
}

void trust(char *to, const char *from, size_t length) {
    memcpy(to, from, length);  // finds: c-unchecked-length
}

void trust_not(char *to, size_t room, const char *from, size_t length) {
    if (length > room) {
        return;
    }
    memcpy(to, from, length);
}

int *make(size_t n) {
    return malloc(n * sizeof(int));  // finds: c-size-overflow
}

int *make_checked(size_t n) {
    if (n > SIZE_MAX / sizeof(int)) {
        return NULL;
    }
    return malloc(n * sizeof(int));
}

int add(int a, int b) {
    return a + b;  // finds: c-arithmetic-overflow
}

int add_checked(int a, int b) {
    int sum;
    if (__builtin_add_overflow(a, b, &sum)) {
        return 0;
    }
    return sum;
}

void twice(char *p) {
    free(p);  // finds: c-double-free
    free(p);
}

void once(char *p) {
    free(p);
    p = NULL;
    free(p);
}

int after(struct node *n) {
    free(n);  // finds: c-use-after-free
    return n->count;
}

void all(struct node *n) {
    while (n) {  // finds: c-loop-uses-freed-node
        free(n);  // finds: c-use-after-free
        n = n->next;
    }
}

void all_safely(struct node *n) {
    while (n) {
        struct node *next = n->next;
        free(n);
        n = next;
    }
}

void clear(struct node *n) {
    free(n->name);  // finds: c-freed-field-kept
}

void clear_safely(struct node *n) {
    free(n->name);
    n->name = NULL;
}

struct node *fresh(void) {
    struct node *n = malloc(sizeof *n);  // finds: c-null-dereference c-gaps-of-a-record
    n->count = 0;
    return n;
}

struct node *fresh_checked(void) {
    struct node *n = malloc(sizeof *n);  // finds: c-gaps-of-a-record
    if (n == NULL) {
        return NULL;
    }
    n->count = 0;
    return n;
}
