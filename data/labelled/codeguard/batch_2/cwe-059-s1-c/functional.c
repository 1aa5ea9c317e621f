#include "program.c"

static int holds(const char *path, const char *text) {
    char content[100] = "";
    FILE *file = fopen(path, "r");
    if (file == NULL) return 0;
    size_t size = fread(content, 1, sizeof content - 1, file);
    fclose(file);
    return size == strlen(text) && strcmp(content, text) == 0;
}

int test_a_new_log(void) { return !(append_log("app.log", "started") == 0 && holds("app.log", "started\n")); }

int test_a_second_line(void) {
    append_log("app.log", "started");
    return !(append_log("app.log", "stopped") == 0 && holds("app.log", "started\nstopped\n"));
}

int test_no_such_folder(void) { return append_log("missing/app.log", "started") != -1; }
