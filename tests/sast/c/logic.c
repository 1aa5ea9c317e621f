#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int share(int total, int people) {
    return total / people; // finds: c-division-by-input
}

int share_checked(int total, int people) {
    if (people == 0) {
        return 0;
    }
    return total / people;
}

char *room(const char *text) {
    size_t wanted = strtoul(text, NULL, 10);
    return malloc(wanted); // finds: c-allocation-of-input-size
}

char *room_bounded(const char *text) {
    size_t wanted = strtoul(text, NULL, 10);
    if (wanted > 4096) {
        return NULL;
    }
    return malloc(wanted);
}

int at(const char *text) {
    unsigned long place = strtoul(text, NULL, 16);
    return *(int *)place; // finds: c-pointer-from-input
}

int counted(int argc, char **argv) {
    assert(argc == 2); // finds: c-assertion-about-input
    return 0;
}

int opened(const char *path) {
    FILE *file = fopen(path, "r"); // finds: c-answer-misread c-path-traversal
    if (file < 0) {
        return 0;
    }
    fclose(file);
    return 1;
}

int same(const char *left, const char *right) {
    return strcmp(left, right) == 1; // finds: c-answer-misread
}

int same_checked(const char *left, const char *right) {
    return strcmp(left, right) == 0;
}

int depth(const char *text) {
    return *text == '(' ? 1 + depth(text + 1) : 0; // finds: c-recursion-without-end
}

int depth_bounded(const char *text, int level) {
    if (level > 64) {
        return -1;
    }
    return *text == '(' ? 1 + depth_bounded(text + 1, level + 1) : 0;
}

void trimmed(const char *from) {
    char *copy = strdup(from); // finds: c-null-dereference
    while (*copy == ' ') {
        copy++;
    }
    puts(copy);
    free(copy); // finds: c-free-of-moved-pointer
}

void trimmed_beside(const char *from) {
    char *copy = strdup(from), *at = copy; // finds: c-null-dereference
    while (*at == ' ') {
        at++;
    }
    puts(at);
    free(copy);
}

void forever(void) {
    while (1) { // finds: c-loop-without-end
        puts("on");
    }
}

void until_end(void) {
    while (1) {
        if (getchar() == EOF) {
            break;
        }
    }
}
