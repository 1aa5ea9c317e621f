#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELLS 8

static int cells[CELLS];  // finds: c-check-lets-length-through

struct box {
    char *text;
    int count;
};

void copy_loop(const char *from) {
    char room[16];
    int i = 0;
    while (from[i] != '\0') {  // finds: c-copy-until-source-ends
        room[i] = from[i];
        i++;
    }
}

void copy_loop_bounded(const char *from) {
    char room[16];
    for (int i = 0; i < 15 && from[i] != '\0'; i++) {
        room[i] = from[i];
    }
}

int branch(char *p, int bad) {
    if (bad) {  // finds: c-free-in-branch-and-after
        free(p);
    }
    puts("done");
    free(p);
    return 0;
}

int branch_returns(char *p, int bad) {
    if (bad) {
        free(p);
        return 1;
    }
    free(p);
    return 0;
}

int equal_read(int n) {
    if (n < 0 || n > CELLS) {
        return -1;
    }
    return cells[n];  // finds: c-index-may-equal-length
}

void equal_write(int n, int value) {
    if (n < 0 || n > CELLS) {
        return;
    }
    cells[n] = value;  // finds: c-write-index-may-equal-length
}

void below_write(int n, int value) {
    if (n >= CELLS) {
        return;
    }
    cells[n] = value;  // finds: c-write-index-without-lower-bound
}

char *early(const char *path, int bad) {
    char *line = malloc(64);  // finds: c-leak-on-early-return c-lost-on-failure
    if (line == NULL) {
        return NULL;
    }
    if (bad > 0) {
        return NULL;
    }
    return line;
}

char *early_freed(const char *path, int bad) {
    char *line = malloc(64);
    if (line == NULL) {
        return NULL;
    }
    if (bad > 0) {
        free(line);
        return NULL;
    }
    return line;
}

int too_far(void) {
    int sums[4];
    int total = 0;
    for (int i = 0; i <= 4; i++) {
        sums[i] = i;  // finds: c-loop-one-too-far c-reads-one-too-far c-zero-behind-the-end
    }
    return total;
}

int far_enough(void) {
    int sums[4];
    for (int i = 0; i < 4; i++) {
        sums[i] = i;
    }
    return sums[3];
}

void measured(char *room, const char *from) {
    size_t length = strlen(from);
    memcpy(room, from, length);  // finds: c-measured-copy-unchecked c-text-not-closed
}

void never(const char *from) {
    char *copy = strdup(from);  // finds: c-never-freed
    if (copy == NULL) {
        return;
    }
    puts(copy);
}

void freed(const char *from) {
    char *copy = strdup(from);
    if (copy == NULL) {
        return;
    }
    puts(copy);
    free(copy);
}

size_t home(void) {
    return strlen(getenv("HOME"));  // finds: c-null-dereference-at-once
}

const char *behind(const char *line) {
    return strchr(line, ':') + 1;  // finds: c-null-dereference-at-once
}

void fill(struct box *b, const char *from, size_t room) {
    b->text = malloc(room);  // finds: c-null-field-dereference
    strncpy(b->text, from, 8);  // finds: c-text-not-closed
}

void fill_checked(struct box *b, const char *from, size_t room) {
    b->text = malloc(room);
    if (b->text == NULL) {
        return;
    }
    strncpy(b->text, from, 8);  // finds: c-text-not-closed
}

unsigned int bytes(size_t count) {
    if (count > SIZE_MAX / sizeof(int)) {
        return 0;
    }
    return (unsigned int)(count * sizeof(int));  // finds: c-product-cut-short
}

char *grow(char *p, size_t n) {
    p = realloc(p, n);  // finds: c-realloc-loses-pointer
    return p;
}

char *room_for(const char *s) {
    return malloc(strlen(s));  // finds: c-room-without-terminator
}

char *room_and_end(const char *s) {
    return malloc(strlen(s) + 1);
}

void trim(char *text, char *end) {
    while (isspace((unsigned char)*end)) {  // finds: c-search-below-the-start
        end--;
    }
}

void trim_stops(char *text, char *end) {
    while (end > text && isspace((unsigned char)end[-1])) {
        end--;
    }
}

void keep_token(const char *value) {
    FILE *f = fopen("t.txt", "w");  // finds: c-secret-with-default-permissions c-follows-links
    if (f) {
        fputs(value, f);  // finds: c-answer-ignored
        fclose(f);
    }
}

struct box *one(void) {
    struct box *made = malloc(sizeof(made));  // finds: c-size-of-pointer
    return made;
}

void told(char *room, const unsigned char *message) {
    unsigned length = message[0];
    memcpy(room, message + 1, length);  // finds: c-told-length
}

void told_checked(char *room, const unsigned char *message, size_t size) {
    size_t length = message[0];
    if (length + 1 > size) {
        return;
    }
    memcpy(room, message + 1, length);
}

void told_exactly(char *room, const unsigned char *message, size_t size) {
    size_t length = message[0];
    if (size < 1 || length != size - 1) {
        return;
    }
    memcpy(room, message + 1, length);
}

void told_something(char *room, const unsigned char *message) {
    size_t length = message[0];
    if (length != 0) {
        memcpy(room, message + 1, length);  // finds: c-told-length
    }
}

void greet(void) {
    char line[32];  // finds: c-uninitialised-read
    strcat(line, "hello");
}

char *doubled(const char *text) {
    char *out = malloc(2 * strlen(text) + 1);  // finds: c-room-for-shorter-replacement
    char *at = out;
    if (!out) return NULL;
    for (; *text; text++) {
        if (*text == '"') at = stpcpy(at, "&quot;");
        else *at++ = *text;
    }
    *at = '\0';
    return out;
}

char *wide_enough(const char *text) {
    char *out = malloc(6 * strlen(text) + 1);
    char *at = out;
    if (!out) return NULL;
    for (; *text; text++) {
        const char *part = *text == '"' ? "&quot;" : NULL;
        if (part) {
            strcpy(at, part);
            at += 6;
        } else {
            *at++ = *text;
        }
    }
    *at = '\0';
    return out;
}

char *summed(const char *text) {
    size_t sum = 0;
    for (const char *p = text; *p; p++) sum += *p == '"' ? 6 : 1;
    char *out = malloc(sum);  // finds: c-room-without-terminator c-no-room-for-zero
    if (!out) return NULL;
    out[0] = '\0';
    return out;
}

char *summed_and_closed(const char *text) {
    size_t sum = 0;
    for (const char *p = text; *p; p++) sum += *p == '"' ? 6 : 1;
    char *out = malloc(sum + 1);
    if (!out) return NULL;
    out[0] = '\0';
    return out;
}

int behind_head(char *to, const char *data, size_t size) {
    size_t told = data[1];
    if (told > size) return -1;
    memcpy(to, data + 2, told);  // finds: c-head-not-subtracted
    return 0;
}

int behind_head_subtracted(char *to, const char *data, size_t size) {
    size_t told = data[1];
    if (size < 2 || told > size - 2) return -1;
    memcpy(to, data + 2, told);
    return 0;
}

struct box *box_new(int count) {
    struct box *box = malloc(sizeof *box);  // finds: c-gaps-of-a-record
    if (!box) return NULL;
    box->count = count;
    return box;
}

struct box *box_cleared(int count) {
    struct box *box = malloc(sizeof *box);
    if (!box) return NULL;
    memset(box, 0, sizeof *box);
    box->count = count;
    return box;
}
