#include <ctype.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum form { WHOLE, TEXT };
struct value { enum form type; union { int64_t whole; char *text; } u; };
struct list { char *items; size_t used; };
struct user { char *name, *home; };

size_t text_length(const struct value *v) {
    return strlen(v->u.text);  // finds: c-kind-not-asked
}

size_t text_length_asked(const struct value *v) {
    return v->type == TEXT ? strlen(v->u.text) : 0;
}

void put(struct list *l, const char *text, size_t n) {
    if (n > 0) {
        memcpy(l->items + l->used, text, n);  // finds: c-unchecked-length c-append-without-room
    }
}

int renamed(struct user *u, const char *name) {
    free(u->name);  // finds: c-freed-and-left-in-place
    char *copy = strdup(name);
    if (copy == NULL) {
        return -1;
    }
    u->name = copy;
    return 0;
}

int first_word(const char *text) {
    char *copy = strdup(text);  // finds: c-never-freed c-null-dereference
    char *word = strtok(copy, " ");  // finds: c-freed-is-no-start c-null-dereference
    free(word);
    return 0;
}

char *doubled_first(struct list *l) {
    char *first = &l->items[0];
    char *larger = realloc(l->items, l->used * 2);  // finds: c-realloc-stale-alias
    if (larger != NULL) {
        l->items = larger;
    }
    return strdup(first);
}

void token_of_clock(char *token, size_t room) {
    snprintf(token, room, "%lx", (long)time(NULL));  // finds: c-token-from-clock
}

FILE *scratch(void) {
    char *name = tempnam("/tmp", "a");  // finds: c-predictable-temporary-file
    return fopen(name, "w");  // finds: c-follows-links c-guessable-temporary-name
}

int new_file(const char *path) {
    return open(path, O_WRONLY | O_CREAT | O_EXCL);  // finds: c-path-traversal c-permissions-too-late
}

int opened_and_left(const char *path, int wanted) {
    int fd = open(path, O_RDONLY);  // finds: c-file-left-open c-path-traversal
    if (wanted == 3) {
        return -1;
    }
    close(fd);
    return 0;
}

int per_step(int total, int from, int to) {
    int steps = to - from;
    return total / steps;  // finds: c-division-by-input c-divisor-made-of-parts
}

int digits(const char *s) {
    int v = 0;
    while (isdigit((unsigned char)*s)) {
        v = v * 10 + (*s++ - '0');  // finds: c-digits-without-limit
    }
    return v;
}

int sum_seen_too_late(int a, int b) {
    int sum = a + b;  // finds: c-arithmetic-overflow c-overflow-seen-too-late
    if (sum < a) {
        return -1;
    }
    return sum;
}

int fits(size_t at, size_t n, size_t room) {
    if (at + n > room) {  // finds: c-sum-in-check
        return 0;
    }
    return 1;
}

char *rounded(size_t bits) {
    size_t bytes = bits / 8;
    return malloc(bytes);  // finds: c-size-rounded-down
}

long *longs(size_t n) {
    long *p = malloc(n);  // finds: c-size-of-other-type
    return p;
}

char *closed_behind(size_t n) {
    char *p = malloc(n);  // finds: c-no-room-for-zero c-zero-behind-the-end
    if (p != NULL) {
        memset(p, ' ', n);
    }
    p[n] = '\0';  // finds: c-index-without-upper-bound
    return p;
}

void narrow(FILE *f) {
    char word[8];
    fscanf(f, "%8s", word);  // finds: c-answer-ignored c-width-leaves-no-room
}

int scanned(const char *text, const int *table) {
    int i;
    if (sscanf(text, "%d", &i) != 1 || i > 9) {
        return -1;
    }
    return table[i];  // finds: c-index-scanned
}

void bytes_count(const uint8_t *data, size_t n, int *sums) {
    for (size_t i = 0; i < n; i++) {
        uint8_t kind = data[i];
        sums[kind]++;  // finds: c-index-out-of-data
    }
}

const char *before(const char *const *names, int n) {
    if (n < 0) {
        return NULL;
    }
    return names[n - 1];  // finds: c-index-minus-one-of-zero
}

void copy_some(char *to, const char *from, int n) {
    if (n < 64) {
        memcpy(to, from, n);  // finds: c-negative-length
    }
}

int pairs(const char *s, size_t n) {
    int found = 0;
    for (size_t i = 0; i < n; i++) {
        found += s[i] == s[i + 1];  // finds: c-look-ahead
    }
    return found;
}

const uint8_t *behind_all(const uint8_t *p, const uint8_t *end) {
    while (p < end) {
        p += 1 + p[0];  // finds: c-told-length-returned
    }
    return p;
}

int chain(const uint16_t *next, size_t n, uint16_t at) {
    while (at != 0) {  // finds: c-jumps-without-end
        if (at >= n) {
            return -1;
        }
        at = next[at];
    }
    return 0;
}

size_t power(size_t need) {
    size_t room = 16;
    while (room < need) {  // finds: c-waits-for-what-never-comes
        room *= 2;
    }
    return room;
}

int blocks(const uint8_t *d, size_t n) {
    size_t pos = 0;
    while (pos < n) {  // finds: c-step-of-zero
        size_t step = d[pos];
        pos += step;
    }
    return 0;
}

int user_of(const char *line, size_t n) {
    char user[16];  // finds: c-check-against-larger-bound
    if (n > 64) {
        return -1;
    }
    memcpy(user, line, n);
    return user[0];
}

int closed_array(int fd) {
    char line[16];  // finds: c-zero-behind-the-array
    ssize_t n = read(fd, line, sizeof(line));
    if (n <= 0) {
        return -1;
    }
    line[n] = '\0';
    return line[0];
}

int below(const int *table, int place) {
    if (place >= 8) {
        return -1;
    }
    return table[place];  // finds: c-index-of-input-negative c-index-without-lower-bound
}

int above(const int *table, unsigned place) {
    return table[place];  // finds: c-index-of-input-too-large c-read-index-without-upper-bound
}

int within(const int *table, unsigned place) {
    if (place >= 8) {
        return -1;
    }
    return table[place];
}
