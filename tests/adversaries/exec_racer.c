/* Another process changes the path of a program while that is started; each says how it was called. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 60 };

int main(int count, char **words) {
  volatile unsigned long *path;
  unsigned long one = 0, two = 0;
  if (count > 1) return puts((char *)getauxval(AT_EXECFN)) < 0;
  (void)words;
  memcpy(&one, "/box/1", 6), memcpy(&two, "/box/2", 6);
  path = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  *path = one;
  pid_t other = fork();
  /* each name is kept for a while: of two stores in a row other processors mostly see the second only */
  for (unsigned i = 0; !other; i++) *path = i & 256 ? one : two;
  access("/kit-begin", F_OK);
  for (int i = 0; i < ROUNDS; i++) {
    char *asked[] = {"racer", "again", NULL};
    pid_t child = fork();
    if (!child) execv((char *)path, asked), _exit(1);
    waitpid(child, NULL, 0);
  }
  kill(other, SIGKILL);
  return 0;
}
