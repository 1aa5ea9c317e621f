/* In the box: what the glue of a C program is written in. glue.py writes only kit_once. */
#ifndef KIT_CALL_H
#define KIT_CALL_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kit_runtime.h"

#ifdef __SANITIZE_ADDRESS__
enum { KIT_SPARE = 0 }; /* items behind a list's last, which no program may read */
#else
enum { KIT_SPARE = 1 };
#endif

static int kit_fault;
static long long kit_status;
static int kit_once(const kit_node *args); /* 1: it failed */

/* Each declares `at` of a type and fills it from the value `item` of a parameter. */
#define KIT_MAKE_REAL(type, at, item, param) \
  double at##_real = 0; \
  if (!kit_real(item, &at##_real)) kit_unfit(param " is a number."); \
  type at = (type)at##_real;
#define KIT_MAKE_BOOL(type, at, item, param) \
  if (item->kind != KIT_TRUE && item->kind != KIT_FALSE) kit_unfit(param " is a bool."); \
  type at = item->kind == KIT_TRUE;
#define KIT_MAKE_CHAR(type, at, item, param) \
  if (item->kind != KIT_TEXT || item->size != 1) kit_unfit(param " is a char."); \
  type at = item->text[0];
#define KIT_MAKE_WHOLE(type, at, item, param) \
  long long at##_i = 0; \
  unsigned long long at##_n = 0; \
  int at##_k = kit_integer(item, &at##_i, &at##_n); \
  type at = (at##_k & 1) ? (type)at##_i : (type)at##_n; \
  if (!((at##_k & 1) && (long long)at == at##_i && ((type)-1 < 0 || at##_i >= 0)) && \
      !((at##_k & 2) && (type)-1 > 0 && (unsigned long long)at == at##_n)) \
    kit_unfit(param " cannot be that number.");
#define KIT_MAKE_BYTES(at, item, param) \
  char *at = NULL; \
  size_t at##_size = 0; \
  if (item->kind != KIT_NULL && !kit_string(item, &at, &at##_size)) kit_unfit(param " is a text.");
#define KIT_MAKE_STRING(at, item, param) \
  KIT_MAKE_BYTES(at, item, param) \
  if (at && strlen(at) != at##_size) kit_unfit("No C string holds a NUL.");
#define KIT_MAKE_LIST(make, type, at, item, param) \
  if (item->kind != KIT_LIST) kit_unfit(param " is a list."); \
  size_t at##_count = item->count; \
  type *at = calloc(at##_count + KIT_SPARE, sizeof *at); \
  for (size_t i = 0; i < at##_count; i++) { \
    make(type, at##_one, kit_item(item, i), param) at[i] = at##_one; \
  }

#define KIT_PUT_REAL(type, value) kit_put_real((double)(value));
#define KIT_PUT_BOOL(type, value) kit_put((value) ? "true" : "false");
#define KIT_PUT_CHAR(type, value) { char c = value; kit_put_text(&c, 1); }
#define KIT_PUT_STRING(type, value) \
  { const char *t = value; if (t) kit_put_text(t, strlen(t)); else kit_put("null"); }
#define KIT_PUT_WHOLE(type, value) \
  if ((type)-1 < 0) kit_put_integer((long long)(value)); \
  else kit_put_natural((unsigned long long)(value));

static void kit_failed(const char *name) {
  char text[96];
  int length = snprintf(text, sizeof text, "returned %lld, errno %d", kit_status, errno);
  kit_put("\"");
  kit_put(name);
  kit_put("\":\"c_error\",\"bases\":[],\"message\":");
  kit_put_text(text, (size_t)length);
}

int main(void) {
  const kit_node *job = kit_job();
  int many = kit_member(job, "many")->kind == KIT_TRUE;
  kit_put("{\"during\":\"call\",\"kind\":\"value\",\"value\":");
  if (many) kit_put("[");
  for (const kit_node *at = kit_member(job, "calls")->first; at; at = at->next) {
    if (many && at != kit_member(job, "calls")->first) kit_put(",");
    size_t mark = kit_mark();
    errno = 0;
    if (kit_once(kit_item(at, 1)) && !many) {
      kit_forget(0);
      kit_put("{\"during\":\"call\",\"kind\":\"exception\",");
      kit_failed("exception");
    } else if (kit_fault && many) {
      kit_forget(mark);
      kit_put("{");
      kit_failed("raises");
      kit_put("}");
    }
  }
  kit_put(many ? "]}" : "}");
  kit_send();
  return 0;
}

#endif
