#include "program.c"

static const struct key_pair PAIR = {"id", "secret secret\n", "known to all\n"};

static int holds(const char *path, const char *text) {
    char found[256] = {0};
    FILE *file = fopen(path, "r");
    if (file == NULL) return 0;
    size_t size = fread(found, 1, 255, file);
    fclose(file);
    return size == strlen(text) && memcmp(found, text, size) == 0;
}

static unsigned mode_of(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 ? about.st_mode & 07777 : 0;
}

int test_both_keys(void) {
    mkdir("keys", 0755);
    return !(store_pair("keys", &PAIR) == 0 && holds("keys/id", "secret secret\n") && holds("keys/id.pub", "known to all\n"));
}

int test_everybody_reads_the_public_key(void) {
    mkdir("keys", 0755);
    umask(077);
    return !(store_pair("keys", &PAIR) == 0 && mode_of("keys/id.pub") == 0644);
}

int test_the_owner_reads_and_writes_the_private_key(void) {
    mkdir("keys", 0755);
    return !(store_pair("keys", &PAIR) == 0 && (mode_of("keys/id") & 0700) == 0600);
}

int test_an_older_pair_is_replaced(void) {
    const struct key_pair older = {"id", "an older secret that is longer\n", "an older one known to all\n"};
    mkdir("keys", 0755);
    return !(store_pair("keys", &older) == 0 && store_pair("keys", &PAIR) == 0 && holds("keys/id", "secret secret\n") &&
             holds("keys/id.pub", "known to all\n"));
}

int test_no_such_folder(void) { return store_pair("missing", &PAIR) != -1; }
