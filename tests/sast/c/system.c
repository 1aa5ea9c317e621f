#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void say(const char *text) {
    printf(text);  // finds: c-format-string
    printf("%s", text);
}

FILE *load(const char *name) {
    char path[256];
    snprintf(path, sizeof path, "/srv/%s", name);
    return fopen(path, "r");  // finds: c-path-traversal
}

FILE *load_checked(const char *name) {
    char path[256];
    if (strstr(name, "..") || strchr(name, '/')) {
        return NULL;
    }
    snprintf(path, sizeof path, "/srv/%s", name);
    return fopen(path, "r");
}

void list(const char *name) {
    char line[256];
    snprintf(line, sizeof line, "ls %s", name);
    system(line);  // finds: c-command-injection
}

void list_fixed(const char *name) {
    system("ls /srv");
}

int find(void *db, const char *name) {
    char sql[256];
    snprintf(sql, sizeof sql, "SELECT * FROM p WHERE name = '%s'", name);
    return sqlite3_exec(db, sql, 0, 0, 0);  // finds: c-sql-injection
}

int find_bound(void *db, const char *name, void *s) {
    return sqlite3_prepare_v2(db, "SELECT * FROM p WHERE name = ?", -1, s, 0);
}

void modes(const char *unused) {
    chmod("key", 0666);  // finds: c-loose-permissions c-answer-ignored
    chmod("key", 0600);  // finds: c-answer-ignored
    umask(0);  // finds: c-loose-permissions
    open("key", O_CREAT | O_WRONLY, 0600);  // finds: c-follows-links
}

void digest(const unsigned char *data, size_t n, unsigned char *out) {
    MD5(data, n, out);  // finds: c-weak-cryptography
    SHA256(data, n, out);
}

int number(void) {
    return rand();  // finds: c-predictable-random
}

FILE *make(void) {
    char *name = tmpnam(NULL);  // finds: c-predictable-temporary-file
    return tmpfile();
}

int checked(void) {
    if (access("a", W_OK) == 0) {  // finds: c-time-of-check
        return open("a", O_WRONLY);  // finds: c-follows-links
    }
    return -1;
}

int admin(const char *password) {
    return strcmp(password, "letmein") == 0;  // finds: c-hardcoded-credential
}

void *document(const char *text, int n) {
    xmlReadMemory(text, n, "x", 0, XML_PARSE_NOENT);  // finds: c-external-entities
    return xmlReadMemory(text, n, "x", 0, XML_PARSE_NONET);
}
