#define _GNU_SOURCE
/* In the box: records what a C or C++ program gives to SQL and to the programs that it starts, and
 * what a sanitizer reports, where a test asks for it. The linker leads calls of X to __wrap_X, and
 * those of __real_X to X. Numbers run through all processes of the program, in shared memory. */

#include <errno.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "kit_runtime.h"

enum { MOST = 400, LONGEST = 8000, REPORT = 400 }; /* records, bytes of a text, of a report */

static struct {
  atomic_uint number;
  uint64_t known[MOST];
} *shared;
static unsigned long word;
static pid_t owner;

/* Whether it was cut. Bytes that are no UTF-8 are the reader's to replace. */
static int quote(FILE *out, const char *text, size_t size) {
  fputc('"', out);
  for (size_t i = 0; i < size && i < LONGEST; i++) {
    unsigned char c = (unsigned char)text[i];
    fprintf(out, c < 0x20 || c == '"' || c == '\\' ? "\\u%04x" : "%c", c);
  }
  fputc('"', out);
  return size > LONGEST;
}

/* One record, once; what is beyond the bounds leaves one that says so. */
static void note(const char *sink, const char *text, size_t size, const char *first, char *const *rest) {
  if (!shared) return;
  int kept = errno, cut = 0;
  char *line;
  size_t length;
  uint64_t hash = 14695981039346656037u;
  FILE *out = open_memstream(&line, &length);
  fprintf(out, "{\"sink\":\"%s\",\"word\":\"%lx\",\"text\":", sink, word);
  cut |= quote(out, text, size);
  fputs(",\"words\":[", out);
  if (first) cut |= quote(out, first, strlen(first));
  for (; first && rest && *rest; rest++) {
    fputc(',', out);
    cut |= quote(out, *rest, strlen(*rest));
  }
  fflush(out);
  for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)line[i]) * 1099511628211u;
  unsigned n = 0, count = shared->number;
  while (n < count && n < MOST && shared->known[n] != hash) n++;
  if (n == count || n == MOST || !strcmp(sink, "shell")) { /* programs that are started are counted */
    n = shared->number++;
    if (n < MOST) shared->known[n] = hash;
    fprintf(out, "],\"n\":%u}\n", n);
    fflush(out);
    if (n < MOST || !strcmp(sink, "cut")) kit_say(line, length);
    cut |= n == MOST;
  }
  fclose(out);
  free(line);
  if (cut && strcmp(sink, "cut")) note("cut", "", 0, NULL, NULL);
  errno = kept;
}

/* ---- sanitizers: there only in a program that was built with them ---- */

void __asan_set_error_report_callback(void (*)(const char *)) __attribute__((weak));
void __ubsan_get_current_report_data(
    const char **kind, const char **message, const char **file, unsigned *line, unsigned *column,
    char **address) __attribute__((weak));

void __sanitizer_set_report_fd(void *fd) __attribute__((weak));

/* Weak, so that a program may have these too: build.py sees that it has. After an error that it
 * survives a program goes on, as without sanitizers, and what they print is no output of it. */
__attribute__((weak)) const char *__asan_default_options(void) {
  return "abort_on_error=1:handle_segv=2:handle_sigbus=2:handle_sigfpe=2:detect_leaks=0:"
         "allocator_may_return_null=1:quarantine_size_mb=16:symbolize=0:halt_on_error=0:"
         "max_malloc_fill_size=0";
}

static int early; /* errors came before there was a channel */

__attribute__((weak)) void __asan_on_error(void) { early |= !shared; }

static void silence(void) {
  __sanitizer_set_report_fd((void *)(intptr_t)memfd_create("", MFD_CLOEXEC));
}

static void reported(const char *report) {
  early |= !shared;
  if (strstr(report, "out of memory")) return; /* where a program without them gets bad_alloc */
  note("memory", report, strnlen(report, REPORT), NULL, NULL);
}

__attribute__((weak)) void __ubsan_on_report(void) {
  const char *kind, *message, *file;
  char *address, text[REPORT];
  unsigned line, column;
  __ubsan_get_current_report_data(&kind, &message, &file, &line, &column, &address);
  if (!file || strstr(file, "kit_") || strstr(file, "glue.")) return; /* our own half */
  snprintf(text, sizeof text, "%s:%u:%u: runtime error: %s", file, line, column, message);
  reported(text);
}

/* ---- called by kit_runtime.c ---- */

void kit_sinks_begin(void) {
  if (getrandom(&word, sizeof word, 0) != sizeof word) return;
  owner = getpid();
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) shared = NULL;
  char *const more[] = {"shell", __asan_set_error_report_callback ? "memory" : NULL, NULL};
  note("begin", "", 0, "sql", more);
  if (!__asan_set_error_report_callback) return;
  __asan_set_error_report_callback(reported);
  silence();
  pthread_atfork(NULL, NULL, silence); /* else a child opens a file of its own */
  if (early) reported("==0==ERROR: AddressSanitizer: error ahead of main");
}

void kit_sinks_end(void) {
  if (getpid() == owner) note("end", "", 0, NULL, NULL);
}

/* ---- what is wrapped: build.py reads the names below for the linker ---- */

#define WRAP(type, name, given, passed, ...) \
  extern type __real_##name given __attribute__((weak)); \
  type __wrap_##name given { \
    __VA_ARGS__; \
    return __real_##name passed; \
  }
#define EXEC(name, path, argv, given, passed) \
  WRAP(int, name, given, passed, note("shell", "", 0, path, argv && *argv ? argv + 1 : NULL))
#define EXEC_LIST(name, given, passed, more) \
  int __wrap_##name(const char *path, const char *first, ...) { \
    size_t count = 1; \
    va_list list; \
    va_start(list, first); \
    while (va_arg(list, char *)) count++; \
    va_end(list); \
    char *argv[count + 1]; \
    va_start(list, first); \
    argv[0] = (char *)first; \
    for (size_t i = 1; i <= count; i++) argv[i] = va_arg(list, char *); \
    more; \
    va_end(list); \
    return given passed; \
  }
#define SHELL(line) char *rest[] = {"-c", (char *)line, NULL}; if (line) note("shell", "", 0, "/bin/sh", rest)
#define SIZE(text, size) (!text ? 0 : size < 0 ? strlen(text) : strnlen(text, (size_t)size))
#define SQL(text, size) note("sql", text, SIZE(text, size), NULL, NULL)
#define BOUND(text, size) \
  const char *sql = sqlite3_sql(statement); \
  char *value = !text ? NULL : strndup(text, SIZE(text, size)); \
  if (sql && value) note("sql", sql, strlen(sql), value, NULL); \
  free(value)
#define BEYOND note("beyond", "", 0, NULL, NULL)

const char *sqlite3_sql(void *statement) __attribute__((weak));

WRAP(int, system, (const char *line), (line), SHELL(line))
WRAP(FILE *, popen, (const char *line, const char *mode), (line, mode), SHELL(line))
EXEC(execv, path, argv, (const char *path, char *const argv[]), (path, argv))
EXEC(execvp, path, argv, (const char *path, char *const argv[]), (path, argv))
EXEC(execve, path, argv, (const char *path, char *const argv[], char *const env[]), (path, argv, env))
EXEC(execvpe, path, argv, (const char *path, char *const argv[], char *const env[]), (path, argv, env))
EXEC(fexecve, argv[0], argv, (int fd, char *const argv[], char *const env[]), (fd, argv, env))
EXEC_LIST(execl, __wrap_execv, (path, argv), )
EXEC_LIST(execlp, __wrap_execvp, (path, argv), )
EXEC_LIST(execle, __wrap_execve, (path, argv, env), char **env = va_arg(list, char **))
EXEC(posix_spawn, path, argv,
     (pid_t * pid, const char *path, const posix_spawn_file_actions_t *actions,
      const posix_spawnattr_t *attributes, char *const argv[], char *const env[]),
     (pid, path, actions, attributes, argv, env))
EXEC(posix_spawnp, path, argv,
     (pid_t * pid, const char *path, const posix_spawn_file_actions_t *actions,
      const posix_spawnattr_t *attributes, char *const argv[], char *const env[]),
     (pid, path, actions, attributes, argv, env))
WRAP(int, sqlite3_exec, (void *db, const char *sql, void *callback, void *argument, char **error),
     (db, sql, callback, argument, error), SQL(sql, -1))
WRAP(int, sqlite3_get_table, (void *db, const char *sql, void *result, int *rows, int *columns, char **error),
     (db, sql, result, rows, columns, error), SQL(sql, -1))
WRAP(int, sqlite3_prepare, (void *db, const char *sql, int size, void *statement, void *tail),
     (db, sql, size, statement, tail), SQL(sql, size))
WRAP(int, sqlite3_prepare_v2, (void *db, const char *sql, int size, void *statement, void *tail),
     (db, sql, size, statement, tail), SQL(sql, size))
WRAP(int, sqlite3_prepare_v3, (void *db, const char *sql, int size, unsigned flags, void *statement, void *tail),
     (db, sql, size, flags, statement, tail), SQL(sql, size))
WRAP(int, sqlite3_prepare16_v2, (void *db, const void *sql, int size, void *statement, void *tail),
     (db, sql, size, statement, tail), BEYOND)
WRAP(int, sqlite3_bind_text, (void *statement, int index, const char *text, int size, void *release),
     (statement, index, text, size, release), BOUND(text, size))
WRAP(int, sqlite3_bind_blob, (void *statement, int index, const void *data, int size, void *release),
     (statement, index, data, size, release), BOUND(data, size))
WRAP(void *, dlopen, (const char *path, int flags), (path, flags), BEYOND)
WRAP(void *, dlsym, (void *handle, const char *name), (handle, name), BEYOND)
WRAP(void *, dlvsym, (void *handle, const char *name, const char *version), (handle, name, version), BEYOND)
