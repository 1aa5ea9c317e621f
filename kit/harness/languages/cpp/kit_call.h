/* In the box: what the glue of a C program is written in. The compiler says of what type things are;
 * kit_types.c makes and writes values of these types. */
#ifndef KIT_CALL_H
#define KIT_CALL_H

#include <stddef.h>

#include "kit_runtime.h"

enum kit_sort { KIT_OTHER, KIT_BOOL, KIT_CHAR, KIT_SIGNED, KIT_UNSIGNED, KIT_FLOAT, KIT_DOUBLE,
                KIT_LONG_DOUBLE, KIT_POINTER, KIT_ARRAY, KIT_RECORD, KIT_VOID };

/* size: of a value. inner: what a pointer points to, what an array has. fixed: that is const. */
typedef struct kit_type {
  enum kit_sort sort;
  size_t size;
  const struct kit_record *record;
  const struct kit_type *inner;
  int fixed;
} kit_type;

typedef struct kit_field {
  const char *name;
  size_t at;
  const kit_type *type;
} kit_field;

typedef struct kit_record {
  size_t size, count;
  const kit_field *fields;
} kit_record;

/* A variable that becomes an argument. */
typedef struct kit_variable {
  const char *name;
  void *at;
  const kit_type *type;
} kit_variable;

/* Finds what of the input each variable becomes; then writes what the call gave, 1 if it failed. */
void kit_begin(const char *name, const kit_node *args, const kit_variable *variables, size_t count,
               kit_param *params, int sanitized);
int kit_answer(const kit_variable *variables, const kit_param *params, size_t count, const void *result,
               const kit_type *type);
int kit_perform(int (*once)(const kit_node *args));

#define KIT_SAME(x, type) __builtin_types_compatible_p(__typeof__(x), type)
#define KIT_IS_VOID(x) (KIT_SAME(x, void *) || KIT_SAME(x, const void *))
#define KIT_POINTER_TO(x) \
  __builtin_choose_expr(KIT_IS_VOID(x), (unsigned char *)0, \
    __builtin_choose_expr(__builtin_classify_type(x) == 5, x, (int *)0))
#define KIT_INNER(x) (*KIT_POINTER_TO(x))
#define KIT_IS_ARRAY(x) \
  (__builtin_classify_type(x) == 5 && !KIT_IS_VOID(x) && !KIT_SAME(x, __typeof__(&KIT_INNER(x))))
#define KIT_IS_FIXED(x) KIT_SAME(&KIT_INNER(x), const __typeof__(KIT_INNER(x)) *)
#define KIT_SORT(x) \
  _Generic((x), _Bool: KIT_BOOL, char: KIT_CHAR, float: KIT_FLOAT, double: KIT_DOUBLE, \
    long double: KIT_LONG_DOUBLE, signed char: KIT_SIGNED, short: KIT_SIGNED, int: KIT_SIGNED, \
    long: KIT_SIGNED, long long: KIT_SIGNED, __int128: KIT_SIGNED, unsigned char: KIT_UNSIGNED, \
    unsigned short: KIT_UNSIGNED, unsigned: KIT_UNSIGNED, unsigned long: KIT_UNSIGNED, \
    unsigned long long: KIT_UNSIGNED, unsigned __int128: KIT_UNSIGNED, \
    default: __builtin_classify_type(x) == 5 ? KIT_POINTER : \
      __builtin_classify_type(x) == 12 ? KIT_RECORD : KIT_OTHER)
#define KIT_TYPE_OF(x, inside) \
  (&(const kit_type){KIT_IS_ARRAY(x) ? KIT_ARRAY : KIT_SORT(x), sizeof(x), KIT_RECORD_OF(x), inside, \
                     KIT_IS_FIXED(x)})
#define KIT_TYPE_2(x) KIT_TYPE_OF(x, NULL)
#define KIT_TYPE_1(x) KIT_TYPE_OF(x, KIT_TYPE_2(KIT_INNER(x)))
#define KIT_TYPE(x) KIT_TYPE_OF(x, KIT_TYPE_1(KIT_INNER(x)))
#define KIT_FIELD(type, name) {#name, offsetof(type, name), KIT_TYPE(((type *)0)->name)}

/* What a call gives, in kit_result; of one that gives nothing a KIT_VOID. */
#define KIT_CALLED(call) \
  enum { kit_nothing = __builtin_types_compatible_p(__typeof__(call), void) }; \
  __auto_type kit_result = __builtin_choose_expr(kit_nothing, ((void)(call), 0), call); \
  const kit_type *kit_gives = kit_nothing ? &(const kit_type){KIT_VOID} : KIT_TYPE(kit_result);

#ifdef __SANITIZE_ADDRESS__
enum { KIT_SANITIZED = 1 };
#else
enum { KIT_SANITIZED = 0 };
#endif
#endif
