#include "program.c"

static int holds(struct message *message, const char *subject, const char *body) {
    return strcmp(message->subject, subject) == 0 && strcmp(message->body, body) == 0;
}

int test_a_new_message(void) {
    struct message message = {NULL, NULL};
    return !(message_set(&message, "Hello", "How are you?") == 0 && holds(&message, "Hello", "How are you?"));
}

int test_other_texts(void) {
    struct message message = {strdup("old"), strdup("older")};
    int result = message_set(&message, "new", "newer");
    return !(result == 0 && holds(&message, "new", "newer"));
}

int test_empty_texts(void) {
    struct message message = {strdup("old"), strdup("older")};
    int result = message_set(&message, "", "");
    return !(result == 0 && message.subject && message.body && holds(&message, "", ""));
}
