#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct setting {
    const char *key;
    const char *value; // NULL if the line had no value
};

struct settings {
    const struct setting *items;
    size_t count;
};

// Returns the setting of that key, or NULL.
static const struct setting *settings_find(const struct settings *s, const char *key) {
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->items[i].key, key) == 0)
            return &s->items[i];
    return NULL;
}

// Returns the port of the setting `key`, whose value has the form host:port.
// Returns `fallback` if there is no port to be had.
int settings_port(const struct settings *s, const char *key, int fallback) {
