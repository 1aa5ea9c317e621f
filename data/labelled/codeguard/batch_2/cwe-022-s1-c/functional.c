#include "program.c"

static int stored(const char *name, const char *path) {
    char text[16] = "";
    if (save_attachment(name, "hello", 5) != 0) return 0;
    FILE *file = fopen(path, "r");
    if (file == NULL) return 0;
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    return size == 5 && strcmp(text, "hello") == 0;
}

int test_a_plain_name(void) { return !stored("report.pdf", "attachments/report.pdf"); }

int test_a_name_with_blanks(void) { return !stored("my report (2).txt", "attachments/my report (2).txt"); }

int test_two_dots_within_a_name(void) { return !stored("v1..2.txt", "attachments/v1..2.txt"); }

int test_a_folder_that_is_missing(void) { return save_attachment("none/report.pdf", "hello", 5) != -1; }
