/* In the box: values of C to JSON and back, by types that the compiler described (kit_call.h). */
#include "kit_call.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FOLLOWED = 60, LONGEST = 100000 };

static int spare = 1; /* zeros behind a list's last item, which no program may read */
static long long status;

/* ---- JSON to C ---- */

__attribute__((noreturn)) static void unfit(const char *param, const char *what) {
  char text[200];
  snprintf(text, sizeof text, "%.80s %.100s.", param, what);
  kit_unfit(text);
  abort();
}

static int is_byte(const kit_type *type) {
  return type->sort == KIT_CHAR || (type->size == 1 && type->sort != KIT_BOOL && type->sort != KIT_RECORD);
}

/* Whether a value of the type can be made; the one of a function cannot. */
static int is_made(const kit_type *type) {
  return type && type->size && (type->sort != KIT_POINTER || type->size == sizeof(void *));
}

static void make(void *at, const kit_type *type, const kit_node *node, const char *param);

static void make_whole(void *at, const kit_type *type, const kit_node *node, const char *param) {
  unsigned __int128 value = node->kind == KIT_TRUE;
  const int truth = node->kind == KIT_TRUE || node->kind == KIT_FALSE;
  if (node->kind == KIT_TEXT && node->size == 1) {
    value = (unsigned char)*node->text; /* a character, which C has as an int as well */
  } else if (!truth && !kit_whole(node, type->size, type->sort == KIT_SIGNED, &value)) {
    unfit(param, "cannot be that");
  }
  memcpy(at, &value, type->size);
}

static void make_real(void *at, const kit_type *type, const kit_node *node, const char *param) {
  double real = 0;
  if (!kit_real(node, &real)) unfit(param, "is a number");
  if (type->sort == KIT_FLOAT) *(float *)at = (float)real;
  if (type->sort == KIT_DOUBLE) *(double *)at = real;
  if (type->sort == KIT_LONG_DOUBLE) *(long double *)at = strtold(node->text ? node->text : "nan", NULL);
}

static void *make_text(const kit_type *type, const kit_node *node, const char *param) {
  char *text = NULL;
  size_t size = 0;
  if (!kit_string(node, &text, &size)) unfit(param, "is a text");
  if (type->sort == KIT_CHAR && strlen(text) != size && node->kind == KIT_TEXT) {
    unfit(param, "holds a NUL, which no C string can");
  }
  return text;
}

static void *make_items(const kit_type *type, const kit_node *node, const char *param) {
  const int many = node->kind == KIT_LIST || node->kind == KIT_ROOM;
  const size_t count = many ? node->count : 1;
  char *items = calloc(count + (many ? (size_t)spare : 0), type->size);
  size_t i = 0;
  for (const kit_node *one = many ? node->first : node; one; one = many ? one->next : NULL) {
    make(items + type->size * i++, type, one, param);
  }
  return items;
}

static void make_record(char *at, const kit_record *record, const kit_node *node, const char *param) {
  size_t taken = 0;
  if (!record || (node->kind != KIT_OBJECT && node->kind != KIT_LIST)) unfit(param, "cannot be made");
  for (size_t i = 0; i < record->count; i++) {
    const kit_field *field = record->fields + i;
    const kit_node *value = node->kind == KIT_LIST ? kit_item(node, i) : kit_member(node, field->name);
    if (!value) continue;
    make(at + field->at, field->type, value, field->name);
    taken++;
  }
  if (taken < node->count) unfit(param, "has no field for a part of the input");
}

static void make_array(char *at, const kit_type *type, const kit_node *node, const char *param) {
  size_t i = 0;
  if (is_byte(type->inner) && node->kind == KIT_TEXT) {
    if (node->size + (type->inner->sort == KIT_CHAR) > type->size) unfit(param, "is too small for the text");
    memcpy(at, node->text, node->size);
  } else {
    if (node->kind != KIT_LIST || node->count * type->inner->size > type->size) {
      unfit(param, "cannot hold the list");
    }
    for (const kit_node *one = node->first; one; one = one->next) {
      make(at + type->inner->size * i++, type->inner, one, param);
    }
  }
}

static void make(void *at, const kit_type *type, const kit_node *node, const char *param) {
  void *made = NULL;
  memset(at, 0, type->size);
  switch (type->sort) {
    case KIT_BOOL:
    case KIT_SIGNED:
    case KIT_UNSIGNED:
      make_whole(at, type, node, param);
      if (type->sort == KIT_BOOL && *(unsigned char *)at > 1) unfit(param, "is a bool");
      break;
    case KIT_CHAR:
      if (node->kind != KIT_TEXT || node->size != 1) unfit(param, "is a char");
      memcpy(at, node->text, 1);
      break;
    case KIT_FLOAT:
    case KIT_DOUBLE:
    case KIT_LONG_DOUBLE:
      make_real(at, type, node, param);
      break;
    case KIT_POINTER:
      if (!is_made(type->inner)) unfit(param, "is a pointer to what cannot be made");
      if (node->kind != KIT_NULL) {
        const int text = node->kind == KIT_TEXT || kit_member(node, "__bytes__");
        made = (text && is_byte(type->inner) ? make_text : make_items)(type->inner, node, param);
      }
      memcpy(at, &made, sizeof made);
      break;
    case KIT_ARRAY:
      make_array(at, type, node, param);
      break;
    case KIT_RECORD:
      make_record(at, type->record, node, param);
      break;
    default:
      unfit(param, "is of a type that no test value can be made into");
  }
}

static int is_integer(const kit_type *type) { return type->sort == KIT_SIGNED || type->sort == KIT_UNSIGNED; }

void kit_begin(const char *name, const kit_node *args, const kit_variable *variables, size_t count,
               kit_param *params, int sanitized) {
  for (size_t i = 0; i < count; i++) {
    const kit_type *type = variables[i].type;
    params[i] = (kit_param){.name = variables[i].name, .whole = is_integer(type)};
    if (type->sort != KIT_POINTER || !is_made(type->inner)) continue;
    params[i].pointer = 1;
    params[i].text = is_byte(type->inner);
    params[i].fixed = type->fixed;
    params[i].item = type->inner->size;
  }
  if (!kit_arrange(args, params, count)) {
    char text[200];
    snprintf(text, sizeof text, "%.100s takes %zu arguments, not those given.", name, count);
    kit_unfit(text);
  }
  for (size_t i = 0; i < count; i++) {
    const kit_type *inner = variables[i].type->inner;
    const int is_text = params[i].text || inner->sort == KIT_POINTER;
    if (params[i].pointer && params[i].count < 0 && !is_text && params[i].given->kind == KIT_LIST) {
      unfit(params[i].name, "is a list, and nothing tells the program how long it is");
    }
  }
  spare = !sanitized;
  for (size_t i = 0; i < count; i++) make(variables[i].at, variables[i].type, params[i].given, params[i].name);
}

/* ---- C to JSON ---- */

static void show(const void *at, const kit_type *type, int depth);

static void show_unknown(void) { kit_put("{\"__type__\":\"value of C\",\"__repr__\":\"\"}"); }

static void show_whole(const void *at, const kit_type *type) {
  unsigned __int128 value = 0;
  const int negative = type->sort == KIT_SIGNED && ((const signed char *)at)[type->size - 1] < 0;
  if (negative) value = ~value;
  memcpy(&value, at, type->size);
  kit_put_whole(value, type->sort == KIT_SIGNED);
}

static void show_items(const char *at, const kit_type *type, size_t count, int depth) {
  for (size_t i = 0; i < count; i++) {
    kit_put(i ? "," : "[");
    show(at + i * type->size, type, depth - 1);
  }
  kit_put(count ? "]" : "[]");
}

static void show_record(const char *at, const kit_record *record, int depth) {
  for (size_t i = 0; i < record->count; i++) {
    const kit_field *field = record->fields + i;
    kit_put(i ? "," : "{");
    kit_put_text(field->name, strlen(field->name));
    kit_put(":");
    show(at + field->at, field->type, depth - 1);
  }
  kit_put("}");
}

/* A text, a record, texts of which NULL is behind the last; how many items another has is unknown. */
static void show_target(const void *target, const kit_type *type, int depth) {
  size_t count = 0;
  if (!target) {
    kit_put("null");
  } else if (type && type->sort == KIT_CHAR) {
    kit_put_text(target, strlen(target));
  } else if (type && type->sort == KIT_RECORD && type->record) {
    show_record(target, type->record, depth);
  } else if (type && type->sort == KIT_POINTER && type->inner && type->inner->sort == KIT_CHAR) {
    while (((char *const *)target)[count] && count < LONGEST) count++;
    show_items(target, type, count, depth);
  } else {
    show_unknown();
  }
}

static void show(const void *at, const kit_type *type, int depth) {
  void *target;
  switch (depth ? type->sort : KIT_OTHER) {
    case KIT_BOOL:
      kit_put(*(const _Bool *)at ? "true" : "false");
      break;
    case KIT_CHAR:
      kit_put_text(at, 1);
      break;
    case KIT_SIGNED:
    case KIT_UNSIGNED:
      show_whole(at, type);
      break;
    case KIT_FLOAT:
      kit_put_single(*(const float *)at);
      break;
    case KIT_DOUBLE:
      kit_put_real(*(const double *)at);
      break;
    case KIT_LONG_DOUBLE:
      kit_put_real((double)*(const long double *)at);
      break;
    case KIT_POINTER:
      memcpy(&target, at, sizeof target);
      show_target(target, type->inner, depth);
      break;
    case KIT_ARRAY:
      if (type->inner->sort == KIT_CHAR) kit_put_text(at, strnlen(at, type->size));
      else show_items(at, type->inner, type->size / type->inner->size, depth);
      break;
    case KIT_RECORD:
      if (type->record) show_record(at, type->record, depth);
      else show_unknown();
      break;
    default:
      show_unknown();
  }
}

/* What a parameter points to: a text, as many items as were given, or the one of a result. */
static void show_param(const kit_variable *variable, const kit_param *param) {
  void *target = *(void **)variable->at;
  if (!param->pointer) return show(variable->at, variable->type, FOLLOWED);
  const int is_room = param->given->kind == KIT_ROOM && param->given->key;
  if (param->text && (param->given->kind == KIT_TEXT || is_room)) {
    kit_put_text(target, strlen(target));
  } else if (param->given->kind == KIT_LIST || is_room) {
    show_items(target, variable->type->inner, status > 0 ? (size_t)status : param->given->count, FOLLOWED);
  } else {
    show(target, variable->type->inner, FOLLOWED);
  }
}

/* The parameters that hold results: rooms, or where there are none, what may have been changed. */
static void put_changed(const kit_variable *variables, const kit_param *params, size_t count) {
  size_t rooms = 0, shown = 0;
  for (size_t i = 0; i < count; i++) rooms += params[i].given->kind == KIT_ROOM;
  for (size_t i = 0; i < count; i++) {
    const int is_room = params[i].given->kind == KIT_ROOM;
    const int can_change = params[i].pointer || variables[i].type->sort == KIT_ARRAY;
    const int is_fixed = variables[i].type->fixed || params[i].given->kind == KIT_NULL;
    if (!can_change || (rooms ? !is_room : is_fixed)) continue;
    if (rooms != 1) {
      kit_put(shown ? "," : "{\"__changed__\":{");
      kit_put_text(params[i].name, strlen(params[i].name));
      kit_put(":");
    }
    show_param(variables + i, params + i);
    shown++;
  }
  if (rooms != 1) kit_put(shown ? "}}" : "null");
}

/* Of several results the one that counts the items of a returned pointer, or NULL. */
static const kit_variable *length_of(const kit_variable *variables, const kit_param *params, size_t count) {
  const kit_variable *length = NULL;
  for (size_t i = 0; i < count; i++) {
    if (params[i].role != KIT_RESULT || params[i].given->kind != KIT_ROOM || !is_integer(variables[i].type->inner)) continue;
    if (!length || kit_counts(params + i)) length = variables + i;
  }
  return length;
}

/* What a function returns beside what it fills: 1 where that says that it failed. */
static int is_failure(const kit_variable *variables, const kit_param *params, size_t count,
                      const void *result, const kit_type *type) {
  unsigned __int128 value = type->sort == KIT_SIGNED && ((const signed char *)result)[type->size - 1] < 0 ? -1 : 0;
  memcpy(&value, result, type->size);
  status = (long long)value;
  for (size_t i = 0; i < count && status > 0; i++) {
    const kit_node *given = params[i].given;
    if (given->kind != KIT_ROOM) continue;
    if (params[i].text) {
      if (given->key && status == (long long)strlen(*(char **)variables[i].at)) return 0;
    } else if (given->key && status <= (long long)given->count) {
      return 0;
    } else if (!given->key && status < (long long)given->count) {
      kit_unfit("It is not known whether what the program returns is a number of results or an error.");
    }
  }
  return status != 0;
}

int kit_answer(const kit_variable *variables, const kit_param *params, size_t count, const void *result,
               const kit_type *type) {
  const kit_variable *length = length_of(variables, params, count);
  int has_room = 0;
  for (size_t i = 0; i < count; i++) has_room |= params[i].given->kind == KIT_ROOM;
  status = 0;
  if (type->sort == KIT_VOID || (has_room && is_integer(type))) {
    if (type->sort != KIT_VOID && is_failure(variables, params, count, result, type)) return 1;
    put_changed(variables, params, count);
  } else if (type->sort == KIT_POINTER && length && type->inner && type->inner->sort != KIT_CHAR) {
    unsigned __int128 items = 0;
    memcpy(&items, *(void **)length->at, length->type->inner->size);
    if (items > LONGEST) show_unknown();
    else if (!*(void *const *)result && items) kit_put("null");
    else show_items(*(char *const *)result, type->inner, (size_t)items, FOLLOWED);
  } else {
    show(result, type, FOLLOWED);
  }
  return 0;
}

/* ---- the job ---- */

static void failed(const char *name) {
  char text[96];
  int length = snprintf(text, sizeof text, "returned %lld, errno %d", status, errno);
  kit_put("\"");
  kit_put(name);
  kit_put("\":\"c_error\",\"bases\":[],\"message\":");
  kit_put_text(text, (size_t)length);
}

int kit_perform(int (*once)(const kit_node *args)) {
  const kit_node *job = kit_job();
  const int many = kit_member(job, "many")->kind == KIT_TRUE;
  kit_put("{\"during\":\"call\",\"kind\":\"value\",\"value\":");
  if (many) kit_put("[");
  for (const kit_node *at = kit_member(job, "calls")->first; at; at = at->next) {
    if (many && at != kit_member(job, "calls")->first) kit_put(",");
    const size_t mark = kit_mark();
    errno = 0;
    if (!once(kit_item(at, 1))) continue;
    kit_forget(many ? mark : 0);
    kit_put(many ? "{" : "{\"during\":\"call\",\"kind\":\"exception\",");
    failed(many ? "raises" : "exception");
    if (many) kit_put("}");
  }
  kit_put(many ? "]}" : "}");
  kit_send();
  return 0;
}
