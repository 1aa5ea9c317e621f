/* In the box: JSON in and out, the return channel and line coverage, for C and C++ programs. */
#ifndef KIT_RUNTIME_H
#define KIT_RUNTIME_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum kit_kind { KIT_NULL, KIT_FALSE, KIT_TRUE, KIT_NUMBER, KIT_TEXT, KIT_LIST, KIT_OBJECT };

/* A JSON value. text: of a text or a number, with a NUL after its `size` bytes. */
typedef struct kit_node {
  enum kit_kind kind;
  char *text, *key;
  size_t size, key_size, count;
  struct kit_node *first, *next;
} kit_node;

const kit_node *kit_job(void);
const kit_node *kit_member(const kit_node *object, const char *name);
const kit_node *kit_item(const kit_node *list, size_t index);
/* 0 where the node is none; of a whole number 1 if *value has it, 2 if *natural, or their sum. */
int kit_integer(const kit_node *node, long long *value, unsigned long long *natural);
int kit_real(const kit_node *node, double *value);
int kit_string(const kit_node *node, char **text, size_t *size);

/* The answer is written piece by piece and sent whole. */
void kit_put(const char *text);
void kit_put_text(const char *text, size_t size);
void kit_put_integer(long long value);
void kit_put_natural(unsigned long long value);
void kit_put_real(double value);
size_t kit_mark(void);
void kit_forget(size_t mark);
void kit_copy(const kit_node *node);
const char *kit_text(size_t mark); /* what was written since `mark` */
kit_node *kit_taken(size_t mark); /* the same as a value */
void kit_send(void);
void kit_say(const char *data, size_t size); /* to the channel, past the answer */

/* Of kit_sinks.c, which is a part of the program only where a test asks for it. */
void kit_sinks_begin(void) __attribute__((weak));
void kit_sinks_end(void) __attribute__((weak));

void kit_unfit(const char *sentence); /* the input fits no call: says so and ends the run */

#ifdef __cplusplus
}
#endif
#endif
