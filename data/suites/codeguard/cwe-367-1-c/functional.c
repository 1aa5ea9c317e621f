#include "program.c"

static int holds(const char *path, const char *text) {
    char found[256] = {0};
    FILE *file = fopen(path, "r");
    if (file == NULL) return 0;
    size_t size = fread(found, 1, 255, file);
    fclose(file);
    return size == strlen(text) && memcmp(found, text, size) == 0;
}

int test_a_report(void) { return !(write_report("report.txt", "all is well\n") == 0 && holds("report.txt", "all is well\n")); }

int test_an_empty_report(void) { return !(write_report("empty.txt", "") == 0 && holds("empty.txt", "")); }

int test_what_is_there_stays(void) {
    write_report("report.txt", "first");
    return !(write_report("report.txt", "second") == -1 && holds("report.txt", "first"));
}

int test_no_such_folder(void) { return write_report("missing/report.txt", "x") != -1; }
