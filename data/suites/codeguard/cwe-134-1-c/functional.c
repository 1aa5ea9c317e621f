#include "program.c"

static char *logged(const char *client, const char *message, int *code) {
    static char text[4096];
    FILE *log = tmpfile();
    *code = log_message(log, client, message);
    rewind(log);
    text[fread(text, 1, sizeof text - 1, log)] = 0;
    return text;
}

int test_a_line(void) {
    int code;
    return !(strcmp(logged("10.0.0.7", "hello there", &code), "10.0.0.7: hello there\n") == 0 && code == 0);
}

int test_a_long_message(void) {
    char message[2001] = {0};
    memset(message, 'm', 2000);
    int code;
    return strlen(logged("c", message, &code)) != 2004;
}

int test_a_log_that_cannot_be_written(void) {
    FILE *log = fopen("log.txt", "w");
    fclose(log);
    log = fopen("log.txt", "r");
    return log_message(log, "c", "m") != -1;
}
