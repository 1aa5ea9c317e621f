/* Another process changes where a program to be started lies: moving fs|vfs|link|script. It has the
   same working folder, or exchanges links; each program says where it was. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 80 };
static char stack[1 << 16];
static int links;

static int change(void *unused) {
  (void)unused;
  for (unsigned i = 0;; i++) {
    if (!links) chdir(i & 256 ? "/box/kept" : "/box/gone");
    else renameat2(AT_FDCWD, "/box/link", AT_FDCWD, "/box/other", RENAME_EXCHANGE);
  }
}

static void copy(const char *to) {
  char data[1 << 16];
  int from = open("/box/main", O_RDONLY), into = open(to, O_CREAT | O_WRONLY, 0700);
  for (ssize_t size; (size = read(from, data, sizeof data)) > 0;) write(into, data, size);
  close(from), close(into);
}

static void script(const char *name, const char *text) {
  FILE *file = fopen(name, "w");
  fprintf(file, "#!/bin/sh\necho harm exec %s\n", text), fclose(file), chmod(name, 0700);
}

int main(int count, char **words) {
  static char path[4096];
  if (count > 1 && !strcmp(words[1], "again")) {
    path[readlink("/proc/self/exe", path, sizeof path - 1)] = 0;
    return printf("harm exec %s\n", path) < 0;
  }
  const char *way = words[1];
  links = !strcmp(way, "link") || !strcmp(way, "script");
  mkdir("/box/kept", 0700), mkdir("/box/gone", 0700);
  if (!strcmp(way, "script")) {
    script("/box/kept/p", "/box/kept/p"), script("/box/gone/p", "/box/gone/p");
  } else copy("/box/kept/p"), copy("/box/gone/p");
  symlink("/box/kept/p", "/box/link"), symlink("/box/gone/p", "/box/other");
  chdir("/box/kept");
  access("/kit-begin", F_OK);
  pid_t other = clone(change, stack + sizeof stack, SIGCHLD | (links ? 0 : CLONE_FS), NULL);
  for (int i = 0; i < ROUNDS; i++) {
    char *asked[] = {"p", "again", NULL};
    pid_t child = strcmp(way, "vfs") ? syscall(56, SIGCHLD | (links ? 0 : CLONE_FS), 0, 0, 0, 0) : fork();
    if (!child) execv(links ? "/box/link" : "p", asked), _exit(1);
    waitpid(child, NULL, 0);
  }
  kill(other, SIGKILL);
  return 0;
}
