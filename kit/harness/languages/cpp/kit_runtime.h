/* In the box: JSON in and out, the return channel and line coverage, for C and C++ programs. */
#ifndef KIT_RUNTIME_H
#define KIT_RUNTIME_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* KIT_ROOM: `count` zeros to be filled, of which all count where it has a key, else the first. */
enum kit_kind { KIT_NULL, KIT_FALSE, KIT_TRUE, KIT_NUMBER, KIT_TEXT, KIT_LIST, KIT_OBJECT, KIT_ROOM };

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
/* Whether the node is a whole number of so many bytes; then *value has its lowest 128 bits. */
int kit_whole(const kit_node *node, size_t bytes, int is_signed, unsigned __int128 *value);
int kit_real(const kit_node *node, double *value);
int kit_string(const kit_node *node, char **text, size_t *size);
/* A parameter: its name, up to a blank; whether it is a whole number, a pointer (text: to a text,
 * fixed: to what is constant, item: of that size) or a reference to what may be changed. */
typedef struct kit_param {
  const char *name;
  size_t item;
  int whole, pointer, text, fixed, reference;
  enum kit_role { KIT_VALUE, KIT_ITEMS, KIT_BUFFER, KIT_RESULT, KIT_COUNT } role;
  int count; /* the parameter that counts its items, or -1 */
  const kit_node *given;
} kit_param;

/* Arguments to parameters; 0 where they do not fit. A number that the input leaves out is counted,
 * and there is room for what is to be filled: by a pair (char *out, size_t size) or by `int *out`. */
int kit_arrange(const kit_node *args, kit_param *params, size_t count);
int kit_counts(const kit_param *param); /* whether it is called as the number of items is */

/* The answer is written piece by piece and sent whole. */
void kit_put(const char *text);
void kit_put_text(const char *text, size_t size);
void kit_put_whole(unsigned __int128 value, int is_signed);
void kit_put_real(double value);
void kit_put_single(float value);
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
