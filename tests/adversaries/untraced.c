/* Does one deed in a child that asks not to be traced: untraced DEED fork|vm|thread|clone3. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREAD = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM };

static char stack[1 << 18] __attribute__((aligned(16)));
static volatile int over;
static struct sockaddr_in udp, tcp;
static struct sockaddr_un path = {AF_UNIX, "/box/server"};

static int serves(int type, struct sockaddr *at, socklen_t size) {
  int fd = socket(at->sa_family, type, 0);
  bind(fd, at, size), getsockname(fd, at, &size);
  if (type == SOCK_STREAM) listen(fd, 9);
  return fd;
}

static void harm(int done, const char *kind, const char *target, int port) {
  if (!done) return;
  if (port) dprintf(1, "harm %s %s:%d\n", kind, target, ntohs(port));
  else dprintf(1, "harm %s %s\n", kind, target);
}

static int act(void *given) {
  const char *deed = given;
  struct open_how how = {O_RDONLY, 0, 0};
  struct msghdr message = {.msg_name = &udp, .msg_namelen = sizeof udp};
  int out = socket(AF_INET, SOCK_DGRAM, 0), link = socket(AF_INET, SOCK_STREAM, 0);
  int local = socket(AF_UNIX, SOCK_STREAM, 0);
  if (!strcmp(deed, "exec"))
    execl("/bin/sh", "sh", "-c", "echo harm exec /bin/sh", (char *)0);
  if (!strcmp(deed, "open"))
    harm(open("/proc/self/root/etc/passwd", O_RDONLY) >= 0, "open", "/etc/passwd", 0);
  if (!strcmp(deed, "openat2"))
    harm(syscall(SYS_openat2, AT_FDCWD, "/etc/passwd", &how, sizeof how) >= 0, "open",
         "/etc/passwd", 0);
  if (!strcmp(deed, "create"))
    harm(open("/proc/self/root/tmp/new", O_CREAT | O_WRONLY, 0600) >= 0, "write", "/tmp/new", 0);
  if (!strcmp(deed, "mknod")) harm(!mknod("/tmp/node", S_IFREG | 0600, 0), "write", "/tmp/node", 0);
  if (!strcmp(deed, "send"))
    harm(sendto(out, "x", 1, 0, (void *)&udp, sizeof udp) == 1, "connect", "127.0.0.1",
         udp.sin_port);
  if (!strcmp(deed, "sendmsg"))
    harm(sendmsg(out, &message, 0) >= 0, "connect", "127.0.0.1", udp.sin_port);
  if (!strcmp(deed, "connect"))
    harm(!connect(link, (void *)&tcp, sizeof tcp), "connect", "127.0.0.1", tcp.sin_port);
  if (!strcmp(deed, "unix"))
    harm(!connect(local, (void *)&path, sizeof path), "connect", "unix:/box/server", 0);
  over = 1;
  syscall(SYS_exit, 0);
  return 0;
}

int main(int count, char **words) {
  const char *way = words[2];
  struct clone_args asked = {.flags = CLONE_UNTRACED, .exit_signal = SIGCHLD};
  if (count < 3) return 2;
  udp.sin_family = tcp.sin_family = AF_INET;
  udp.sin_addr.s_addr = tcp.sin_addr.s_addr = inet_addr("127.0.0.1");
  serves(SOCK_DGRAM, (void *)&udp, sizeof udp), serves(SOCK_STREAM, (void *)&tcp, sizeof tcp);
  serves(SOCK_STREAM, (void *)&path, sizeof path);
  access("/kit-begin", F_OK);
  if (!strcmp(way, "clone3")) {
    int child = syscall(SYS_clone3, &asked, sizeof asked);
    if (!child) act(words[1]);
    if (child > 0) waitpid(child, NULL, __WALL);
    return 0;
  }
  int flags = !strcmp(way, "thread") ? THREAD : !strcmp(way, "vm") ? CLONE_VM | SIGCHLD : SIGCHLD;
  int child = clone(act, stack + sizeof stack, flags | CLONE_UNTRACED, words[1]);
  if (child < 0) return printf("not cloned: %s\n", strerrorname_np(errno)) < 0;
  if (flags & CLONE_THREAD)
    for (int i = 0; i < 200 && !over; i++) usleep(10000);
  else waitpid(child, NULL, __WALL);
  return 0;
}
