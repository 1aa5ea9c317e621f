/* The first process of a watched box: no program without a filter, no filter without a watcher.

   shim FILTER LINK PROGRAM [ARGUMENT...]: installs the filter read from FILTER. Its child tells the
   listener's number by LINK and becomes the program once the watcher holds it; the shim reaps.
   It stays under the filter itself, so that nothing is gained by writing into its memory. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef KILLABLE /* SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, since Linux 5.19; without it works too */
#define KILLABLE (1UL << 5)
#endif

enum { FIRST_OURS = 4 }; /* below: stdin, stdout, stderr and the channel, which the program gets */

static int fail(const char *what) {
  fprintf(stderr, "%s: %s\n", what, strerror(errno));
  return 125;
}

int main(int count, char **words) {
  static struct sock_filter code[BPF_MAXINSNS];
  if (count < 4) return 125;
  int filter = atoi(words[1]), link = atoi(words[2]), status;
  ssize_t size = pread(filter, code, sizeof code, 0);
  struct sock_fprog program = {size > 0 ? size / sizeof *code : 0, code};
  char held;
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0); /* needed where Yama is */
  int listener = -1;
  for (unsigned more = KILLABLE, tries = 2; listener < 0 && tries--; more = 0)
    listener = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                       SECCOMP_FILTER_FLAG_NEW_LISTENER | more, &program);
  if (listener < 0) return fail("no filter");
  pid_t child = fork(); /* before anyone traces it, for then it would stop */
  if (!child) {
    if (write(link, &listener, sizeof listener) < 0 || read(link, &held, 1) != 1)
      _exit(fail("nobody watches"));
    if (close_range(FIRST_OURS, ~0U, 0)) _exit(fail("descriptors"));
    execvp(words[3], words + 3);
    _exit(fail(words[3]));
  }
  if (close_range(FIRST_OURS, ~0U, 0)) return fail("descriptors");
  if (child < 0) return fail("fork");
  for (pid_t gone; (gone = wait(&status)) != child;)
    if (gone < 0 && errno != EINTR) return fail("wait");
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
