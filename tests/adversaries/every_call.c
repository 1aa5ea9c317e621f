/* Makes every call of the table by its number, each on a path or port of its own. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define P(name) ("p-" #name)
#define OWN(name) made(P(name))
#define CWD AT_FDCWD

static int made(const char *path) { return open(path, O_CREAT | O_RDWR, 0600); }

static struct sockaddr_in at(int port) {
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port)};
  a.sin_addr.s_addr = inet_addr("127.0.0.1");
  return a;
}

static void files(void) {
  long how[3] = {O_CREAT | O_WRONLY, 0600, 0};
  struct iovec empty = {0};
  (void)empty;
  syscall(SYS_open, P(open), O_RDONLY);
  syscall(SYS_openat, CWD, P(openat), O_RDONLY);
  syscall(SYS_openat2, CWD, P(openat2), how, sizeof how);
  syscall(SYS_creat, P(creat), 0600);
  syscall(SYS_unlink, P(unlink));
  syscall(SYS_unlinkat, CWD, P(unlinkat), 0);
  syscall(SYS_rmdir, P(rmdir));
  syscall(SYS_rename, P(rename), "to");
  syscall(SYS_renameat, CWD, P(renameat), CWD, "to");
  syscall(SYS_renameat2, CWD, P(renameat2), CWD, "to", 0);
  syscall(SYS_mkdir, P(mkdir), 0700);
  syscall(SYS_mkdirat, CWD, P(mkdirat), 0700);
  syscall(SYS_mknod, P(mknod), S_IFREG | 0600, 0);
  syscall(SYS_mknodat, CWD, P(mknodat), S_IFREG | 0600, 0);
  syscall(SYS_symlink, "nowhere", P(symlink));
  syscall(SYS_symlinkat, "nowhere", CWD, P(symlinkat));
  syscall(SYS_link, "none", P(link));
  syscall(SYS_linkat, CWD, "none", CWD, P(linkat), 0);
  syscall(SYS_truncate, P(truncate), 0L);
  syscall(SYS_chmod, P(chmod), 0600);
  syscall(SYS_fchmod, OWN(fchmod), 0640);
  syscall(SYS_fchmodat, CWD, P(fchmodat), 0600);
  syscall(SYS_chown, P(chown), -1, -1);
  syscall(SYS_lchown, P(lchown), -1, -1);
  syscall(SYS_fchown, OWN(fchown), -1, -1);
  syscall(SYS_fchownat, CWD, P(fchownat), -1, -1, 0);
  syscall(SYS_setxattr, P(setxattr), "user.a", "b", 1L, 0);
  syscall(SYS_lsetxattr, P(lsetxattr), "user.a", "b", 1L, 0);
  syscall(SYS_fsetxattr, OWN(fsetxattr), "user.a", "b", 1L, 0);
  syscall(SYS_removexattr, P(removexattr), "user.a");
  syscall(SYS_lremovexattr, P(lremovexattr), "user.a");
  syscall(SYS_fremovexattr, OWN(fremovexattr), "user.a");
  syscall(SYS_utime, P(utime), NULL);
  syscall(SYS_utimes, P(utimes), NULL);
  syscall(SYS_futimesat, CWD, P(futimesat), NULL);
  syscall(SYS_utimensat, CWD, P(utimensat), NULL, 0);
}

static void sockets(void) {
  struct sockaddr_in a;
  int u = socket(AF_INET, SOCK_DGRAM, 0), b = socket(AF_INET, SOCK_STREAM, 0);
  int s = socket(AF_INET, SOCK_STREAM, 0), c = socket(AF_INET, SOCK_STREAM, 0);
  struct iovec data = {"x", 1};
  struct mmsghdr many[2] = {0};
  struct sockaddr_in to[2] = {at(4307), at(5307)};
  a = at(4042), syscall(SYS_connect, c, &a, sizeof a);
  a = at(4044), syscall(SYS_sendto, u, "x", 1L, 0, &a, sizeof a);
  a = at(4046);
  struct msghdr one = {.msg_name = &a, .msg_namelen = sizeof a, .msg_iov = &data, .msg_iovlen = 1};
  syscall(SYS_sendmsg, u, &one, 0);
  for (int i = 0; i < 2; i++) {
    many[i].msg_hdr = one;
    many[i].msg_hdr.msg_name = &to[i];
  }
  syscall(SYS_sendmmsg, u, many, 2, 0);
  a = at(4049), syscall(SYS_bind, b, &a, sizeof a);
  syscall(SYS_listen, b, 1);
  syscall(SYS_listen, s, 1);
  a = at(6000), a.sin_family = AF_UNSPEC;
  syscall(SYS_sendto, u, "x", 1L, 0, &a, sizeof a);
}

static void processes(void) {
  char *argv[] = {"p-exec", "argument", NULL};
  int status;
  syscall(SYS_execve, "p-execve", argv, NULL);
  syscall(SYS_execveat, CWD, "p-execveat", argv, NULL, 0);
  if (!syscall(SYS_fork)) syscall(SYS_mkdir, P(fork), 0700), _exit(0);
  while (wait(&status) > 0) continue;
  if (!syscall(SYS_clone, SIGCHLD, 0L, 0L, 0L, 0L)) syscall(SYS_mkdir, P(clone), 0700), _exit(0);
  while (wait(&status) > 0) continue;
  if (!vfork()) syscall(SYS_mkdir, P(vfork), 0700), _exit(0);
  while (wait(&status) > 0) continue;
  mkdir("in-chdir", 0700), mkdir("in-fchdir", 0700);
  syscall(SYS_chdir, "in-chdir"), syscall(SYS_mkdir, P(chdir), 0700);
  syscall(SYS_chdir, "/box");
  syscall(SYS_fchdir, open("in-fchdir", O_RDONLY | O_DIRECTORY)), syscall(SYS_mkdir, P(fchdir), 0700);
}

/* Without arguments all of the above; else "name=number" -> what each call with no arguments says. */
int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    long done = syscall(atol(strchr(argv[i], '=') + 1), 0L, 0L, 0L, 0L, 0L, 0L);
    printf("%s %s\n", argv[i], done == -1 ? strerrorname_np(errno) : "done");
  }
  if (argc > 1) return 0;
  access("/kit-begin", F_OK);
  files(), sockets(), processes();
}
