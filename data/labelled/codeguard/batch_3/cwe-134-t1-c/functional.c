#include "program.c"

static struct report report;

static void add(const char *name, unsigned long size, enum outcome outcome) {
    struct upload upload = {name, size, outcome};
    report_upload(&report, &upload);
}

int test_a_stored_file(void) {
    add("cat.png", 1200, STORED);
    return strcmp(report.text, "stored cat.png (1200 bytes)\n") != 0;
}

int test_a_replaced_file(void) {
    add("my notes.txt", 1, REPLACED);
    return strcmp(report.text, "replaced my notes.txt (1 bytes)\n") != 0;
}

int test_a_rejected_file(void) {
    add("virus.exe", 10, REJECTED);
    return strcmp(report.text, "rejected virus.exe\n") != 0;
}

int test_several_files(void) {
    add("a", 1, STORED);
    add("b", 2, REJECTED);
    add("c", 3, STORED);
    return strcmp(report.text, "stored a (1 bytes)\nrejected b\nstored c (3 bytes)\n") != 0;
}
