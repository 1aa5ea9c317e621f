#include "program.c"

int test_a_file_that_is_written_and_read(void) {
    char path[200] = "", text[8] = "";
    FILE *file = open_scratch(path, sizeof path);
    if (file == NULL) return 1;
    fputs("rows", file);
    rewind(file);
    int right = fgets(text, sizeof text, file) != NULL && strcmp(text, "rows") == 0;
    fclose(file);
    unlink(path);
    return !right;
}

int test_its_path(void) {
    char path[200] = "";
    struct stat about;
    FILE *file = open_scratch(path, sizeof path);
    int right = file != NULL && strncmp(path, "/tmp/", 5) == 0 && stat(path, &about) == 0 && about.st_size == 0;
    unlink(path);
    return !right;
}

int test_no_room_for_the_path(void) {
    char path[6] = "";
    return open_scratch(path, sizeof path) != NULL;
}
