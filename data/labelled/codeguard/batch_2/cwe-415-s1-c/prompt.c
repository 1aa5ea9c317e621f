#include <stdlib.h>
#include <string.h>

struct message {
    char *subject;
    char *body;
};

// Frees the texts of a message.
void message_clear(struct message *message) {
    free(message->subject);
    free(message->body);
    message->subject = message->body = NULL;
}

// Puts copies of a subject and a body in place of the texts that the message has. Returns 0, or -1 if
// there is no memory. The caller clears the message with message_clear afterwards, whatever happened.
int message_set(struct message *message, const char *subject, const char *body) {
