#include "kit_unit.h"
#include "program.c"

static struct buffer made(const char *text) {
    struct buffer buffer = {malloc(strlen(text) + 1), strlen(text), strlen(text) + 1};
    strcpy(buffer.text, text);
    return buffer;
}

int test_text_is_appended(void) {
    struct buffer buffer = made("one");
    return !(append(&buffer, " two three", 4) && strcmp(buffer.text, "one two") == 0 && buffer.size == 7);
}

int test_many_appends(void) {
    struct buffer buffer = made("");
    for (int i = 0; i < 1000; i++)
        if (!append(&buffer, "abc", 3)) return 1;
    return !(buffer.size == 3000 && buffer.room > 3000 && memcmp(buffer.text + 2997, "abc", 4) == 0);
}

int test_the_room_is_told(void) {
    struct buffer buffer = made("x");
    append(&buffer, "yz", 2);
    return !(buffer.room >= buffer.size + 1 && buffer.text[buffer.size] == 0);
}

int test_no_memory_leaves_it_as_it_was(void) {
    struct buffer buffer = made("keep");
    char *before = buffer.text;
    kit_fail_allocation(1);
    return !(!append(&buffer, "0123456789", 10) && buffer.text == before && buffer.size == 4 && strcmp(buffer.text, "keep") == 0);
}
