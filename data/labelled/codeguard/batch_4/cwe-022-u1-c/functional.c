#include "program.c"
#include <sys/stat.h>

static void put(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    if (f) { fputs(text, f); fclose(f); }
}

static void setup(void) {
    mkdir("mails", 0755);
    mkdir("mails/de", 0755);
    put("mails/welcome.txt", "Hello");
    put("mails/de/welcome.txt", "Guten Tag");
}

int test_templates_are_read_and_counted(void) {
    char out[64];
    struct template_store s = {"mails", 0};
    setup();
    if (store_read(&s, "welcome.txt", out, sizeof out) != 5 || strcmp(out, "Hello")) return 1;
    if (store_read(&s, "de/welcome.txt", out, sizeof out) != 9 || strcmp(out, "Guten Tag")) return 1;
    return s.reads != 2;
}

int test_no_such_template(void) {
    char out[64];
    struct template_store s = {"mails", 0};
    setup();
    return !(store_read(&s, "bye.txt", out, sizeof out) == STORE_NO_SUCH && out[0] == '\0' && s.reads == 0);
}

int test_a_small_buffer(void) {
    char out[4];
    struct template_store s = {"mails", 0};
    setup();
    return !(store_read(&s, "welcome.txt", out, sizeof out) == 3 && strcmp(out, "Hel") == 0);
}
