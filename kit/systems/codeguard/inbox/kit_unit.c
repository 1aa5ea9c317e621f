/* In the box: runs one test, and ends with PASSED where its function has returned 0. */
#define _GNU_SOURCE
#include "kit_unit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PASSED = 203, SECONDS = 10, RUBBISH = 1 << 20 };

extern size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);

static int left; /* allocations until the first that fails, itself counted; 0: none does */

static int fails(void) {
  if (left == 0) return 0;
  if (left > 1) left--;
  else return 1;
  return 0;
}

/* Fresh memory holds rubbish, as it may anywhere: who relies on zeros is found out. */
void *__wrap_malloc(size_t size) {
  void *fresh = fails() ? NULL : __real_malloc(size);
  if (fresh != NULL && size <= RUBBISH) memset(fresh, 0xbe, size);
  return fresh;
}
void *__wrap_calloc(size_t count, size_t size) { return fails() ? NULL : __real_calloc(count, size); }
void *__wrap_realloc(void *old, size_t size) { return fails() ? NULL : __real_realloc(old, size); }
char *__wrap_strdup(const char *text) { return fails() ? NULL : __real_strdup(text); }

void kit_fail_allocation(int number) { left = number; }

size_t kit_allocated(void) {
  return __sanitizer_get_current_allocated_bytes ? __sanitizer_get_current_allocated_bytes() : 0;
}

static FILE *holding(const char *text) {
  FILE *file = tmpfile();
  if (file == NULL) abort();
  fputs(text, file);
  rewind(file);
  return file;
}

char *kit_output(void (*act)(void), const char *input, int *status) {
  FILE *given = holding(input), *printed = holding("");
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    alarm(SECONDS);
    dup2(fileno(given), 0);
    dup2(fileno(printed), 1);
    act();
    fflush(stdout);
    _exit(0);
  }
  int end = 0;
  waitpid(child, &end, 0);
  *status = WIFSIGNALED(end) ? -WTERMSIG(end) : WEXITSTATUS(end);
  fseek(printed, 0, SEEK_END);
  size_t size = (size_t)ftell(printed);
  char *text = __real_calloc(size + 1, 1);
  rewind(printed);
  if (fread(text, 1, size, printed) != size) abort();
  fclose(given);
  fclose(printed);
  return text;
}

int main(int argc, char **argv) {
  if (argc != 2) return 90;
  return kit_tests[atoi(argv[1])]() == 0 ? PASSED : 91;
}
