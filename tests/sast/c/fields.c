#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct log { FILE *to; };
struct page { const char *path, *text; };
struct sound { uint32_t rate, channels; };
struct names { char **at; size_t count; };
struct job { void (*call)(struct names *all, void *with); void *with; int period; struct job *next; };

static void note(struct log *log, const char *format, ...) {
    va_list values;
    va_start(values, format);
    vfprintf(log->to, format, values);
    va_end(values);
}

static int keep(const char *path, const char *text) {
    FILE *file = fopen(path, "wx");  // finds: c-path-traversal
    if (file == NULL) return -1;
    int bad = fputs(text, file) == EOF;
    return fclose(file) == EOF || bad ? -1 : 0;
}

static void names_free(struct names *names) {
    for (size_t i = 0; i < names->count; i++) free(names->at[i]);
    free(names->at);
    free(names);
}

void note_page(struct log *log, const struct page *page) {
    note(log, page->path);  // finds: c-format-of-own-function
}

void note_page_as_text(struct log *log, const struct page *page) {
    const char *way = page->text ? "full: %s\n" : "empty: %s\n";
    note(log, "%s", page->path);
    note(log, way, page->path);
}

int keep_page(const char *folder, const struct page *page) {
    char full[4096];
    int n = snprintf(full, sizeof full, "%s/%s", folder, page->path);
    if (n < 0 || (size_t)n >= sizeof full) return -1;
    return keep(full, page->text);  // finds: c-path-given-to-helper
}

int keep_page_below(const char *folder, const struct page *page) {
    char full[4096];
    if (page->path[0] == '/' || strstr(page->path, "..") != NULL) return -1;
    int n = snprintf(full, sizeof full, "%s/%s", folder, page->path);
    if (n < 0 || (size_t)n >= sizeof full) return -1;
    return keep(full, page->text);
}

const char *without_way_up(const char *path) {
    while (strncmp(path, "../", 3) == 0) path += 3;  // finds: c-way-up-taken-out
    return path;
}

void put_text(char *to, const char *text) {
    while (*text != '\0') *to++ = *text++;  // finds: c-text-copied-by-pointer
}

void put_text_within(char *to, char *end, const char *text) {
    while (*text != '\0' && to < end) *to++ = *text++;
}

const uint8_t *item(const uint8_t *data, uint8_t kind) {
    while (*data != 255) {
        if (*data == kind) return data;
        data += 2 + data[1];  // finds: c-steps-by-data-alone
    }
    return NULL;
}

int item_copied(FILE *to, const uint8_t *data, size_t size, size_t at) {
    if (size < 1 || at >= size) return -1;
    size_t length = data[at];
    if (length > size) return -1;
    return fwrite(data + at + 1, length, 1, to) == 1;  // finds: c-length-not-of-rest
}

int item_copied_of_rest(FILE *to, const uint8_t *data, size_t size, size_t at) {
    if (size < 1 || at >= size) return -1;
    size_t length = data[at];
    if (length > size - at - 1) return -1;
    return fwrite(data + at + 1, length, 1, to) == 1;
}

char *joined(const int *values, size_t count) {
    if (count > 1000) return NULL;
    char *text = malloc(count * (10 + 1) + 1), *end = text;  // finds: c-room-for-digits
    if (text == NULL) return NULL;
    *end = 0;
    for (size_t i = 0; i < count; i++) end += sprintf(end, "%d,", values[i]);
    return text;
}

uint64_t bytes_of(const char *text) {
    uint64_t number = strtoull(text, NULL, 10);
    return number << 10;  // finds: c-parsed-number-scaled
}

uint64_t bytes_that_fit(const char *text) {
    uint64_t number = strtoull(text, NULL, 10);
    return number > UINT64_MAX >> 10 ? 0 : number << 10;
}

int area(const unsigned *side, unsigned *result) {
    unsigned product = side[0] * side[1];  // finds: c-product-looked-at-afterwards
    if (product < side[0]) return -1;
    *result = product;
    return 0;
}

uint32_t seconds(const uint8_t *data, uint32_t frames) {
    struct sound sound;
    memcpy(&sound, data, sizeof sound);
    return frames / sound.rate;  // finds: c-division-by-field
}

uint32_t seconds_if_any(const uint8_t *data, uint32_t frames) {
    struct sound sound;
    memcpy(&sound, data, sizeof sound);
    return sound.rate == 0 ? 0 : frames / sound.rate;
}

void names_gone(struct names *names) {
    for (size_t i = 0; i < names->count; i++) free(names->at[i]);  // finds: c-freed-with-its-owner-too
    names_free(names);
}

void names_gone_once(struct names *names) {
    for (size_t i = 0; i < names->count; i++) {
        free(names->at[i]);
        names->at[i] = NULL;
    }
    names_free(names);
}

int call_job(struct names *all, struct job *job) {
    job->call(all, job->with);  // finds: c-used-after-its-callback
    return job->period;
}

int call_and_forget(struct names *all, struct job *job) {
    int period = job->period;
    job->call(all, job->with);
    return period;
}

struct list { char *label, *note; int count, sum; };

static void list_free(struct list *list) {
    if (list == NULL) return;
    free(list->label);
    free(list->note);
    free(list);
}

unsigned pair_at(const uint8_t *data, size_t size, size_t at) {
    if (at >= size) return 0;
    return data[at] << 8 | data[at + 1];  // finds: c-neighbour-not-asked
}

size_t blanks(const char *data, size_t size) {
    size_t at = 0;
    while (data[at] == ' ' && at < size) at++;  // finds: c-read-before-the-check
    return at;
}

int mean(const struct list *list, const int *values) {
    int found = 0, sum = 0;
    for (int i = 0; i < list->count; i++) {
        if (values[i] & 1) {
            found++;
            sum += values[i];
        }
    }
    return sum / found;  // finds: c-division-by-a-count
}

int mean_if_any(const struct list *list, const int *values) {
    int found = 0, sum = 0;
    for (int i = 0; i < list->count; i++) {
        if (values[i] & 1) {
            found++;
            sum += values[i];
        }
    }
    return found ? sum / found : 0;
}

int closed(struct list *list) {
    list_free(list);  // finds: c-used-after-its-release
    return list->count;
}

int closed_first_read(struct list *list) {
    int count = list->count;
    if (count < 0) {
        list_free(list);
        return -1;
    }
    list->count = 0;
    list_free(list);
    return count;
}

struct list *twin(const struct list *list) {
    struct list *copy = malloc(sizeof *copy);
    if (copy == NULL) return NULL;
    *copy = *list;  // finds: c-copy-shares-memory
    return copy;
}

void drop(char **texts, int count) {
    for (int i = 0; i < count; i++) {  // finds: c-freed-in-two-loops
        if (texts[i][0] == 0) free(texts[i]);
    }
    for (int i = 0; i < count; i++) free(texts[i]);
}
