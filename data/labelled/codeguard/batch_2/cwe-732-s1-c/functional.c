#include "program.c"

static int holds(const char *path, const char *text) {
    char content[100] = "";
    FILE *file = fopen(path, "r");
    if (file == NULL) return 0;
    size_t size = fread(content, 1, sizeof content - 1, file);
    fclose(file);
    return size == strlen(text) && strcmp(content, text) == 0;
}

int test_a_new_file(void) { return !(save_password("db.pass", "secret") == 0 && holds("db.pass", "secret")); }

int test_another_password(void) {
    save_password("db.pass", "long secret");
    return !(save_password("db.pass", "short") == 0 && holds("db.pass", "short"));
}

int test_no_such_folder(void) { return save_password("missing/db.pass", "secret") != -1; }
