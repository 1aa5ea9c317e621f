#include "program.c"

int test_saved(void) {
    struct ticket t = {"ann", "s3"};
    char text[32] = "";
    remove("t1");
    if (ticket_save("t1", &t)) return 1;
    FILE *f = fopen("t1", "r");
    if (!f || !fgets(text, sizeof text, f)) return 1;
    fclose(f);
    return strcmp(text, "ann s3\n") != 0;
}

int test_no_folder(void) {
    struct ticket t = {"ann", "s3"};
    return ticket_save("nowhere/t", &t) != -1;
}
