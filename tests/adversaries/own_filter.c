/* A filter that answers each open itself, "go on", would outrank the tracer's. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int listener;

static void *answer(void *unused) {
  struct seccomp_notif asked;
  struct seccomp_notif_resp said;
  for (;; memset(&said, 0, sizeof said)) {
    memset(&asked, 0, sizeof asked);
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked)) return unused;
    said.id = asked.id, said.error = said.val = 0, said.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &said);
  }
}

int main(void) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof code / sizeof *code, code};
  pthread_t thread;
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  printf("prctl %s\n", prctl(PR_SET_SECCOMP, 7, &program) ? strerrorname_np(errno) : "done");
  fflush(stdout);
  listener = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
  printf("seccomp %s\n", listener < 0 ? strerrorname_np(errno) : "done");
  fflush(stdout);
  if (listener >= 0) pthread_create(&thread, NULL, answer, NULL);
  syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY);
}
