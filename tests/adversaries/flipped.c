/* Another thread changes all the time what a call is given; tells of each deed that it was not the
   one that was meant to be seen: flipped DEED. Each round has names of its own. The caller shares
   its CPU with that thread and goes on only while it sleeps: before each step of its call. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 400, FD = 30 };

static struct sockaddr_un name = {AF_UNIX, ""}, other = {AF_UNIX, "/box/g"};
static struct sockaddr_in udp;
static struct msghdr message;
static volatile int turn, over, shown = -1, meant; /* the descriptor that FD is, by turns */
static const char *deed;

static int is(const char *what) { return !strcmp(deed, what); }

/* A letter of the name, the address of a message, and what a descriptor stands for. */
static void *flip(void *unused) {
  struct timespec moment = {0, 20000};
  while (!over) {
    if (turn % 29 == 0) nanosleep(&moment, NULL); /* here the caller goes on */
    name.sun_path[5] = turn++ & 1 ? 'g' : 'k';
    message.msg_name = turn & 1 ? is("swapped") ? (void *)&udp : &other : NULL;
    message.msg_namelen = turn & 1 ? is("swapped") ? sizeof udp : sizeof name : 0;
    if (shown >= 0) dup2(shown, FD), dup2(meant, FD);
  }
  return unused;
}

static struct sockaddr_un path(char letter, int round) {
  struct sockaddr_un at = {AF_UNIX, ""};
  sprintf(at.sun_path, "/box/%c%d", letter, round);
  return at;
}

static int server(int type, char letter, int round) {
  struct sockaddr_un at = path(letter, round);
  int fd = socket(AF_UNIX, type | SOCK_NONBLOCK, 0);
  bind(fd, (void *)&at, sizeof at);
  if (type == SOCK_STREAM) listen(fd, 9);
  return fd;
}

static int got(int fd, int type) {
  char byte;
  if (type == SOCK_DGRAM) return recv(fd, &byte, 1, MSG_DONTWAIT) >= 0;
  int one = accept(fd, NULL, NULL);
  return one >= 0 && !close(one);
}

static void local(int round) {
  int type = is("stream") ? SOCK_STREAM : SOCK_DGRAM, kept = server(type, 'k', round), one = -1;
  int gone = server(type, 'g', round), client = socket(AF_UNIX, type, 0), pair[2];
  struct sockaddr_un at = path('k', round);
  struct iovec byte = {"x", 1};
  struct mmsghdr many = {{.msg_name = &name, .msg_namelen = sizeof name}, 0};
  message.msg_iov = many.msg_hdr.msg_iov = &byte, message.msg_iovlen = many.msg_hdr.msg_iovlen = 1;
  strcpy(name.sun_path + 6, at.sun_path + 6), strcpy(other.sun_path + 6, at.sun_path + 6);
  if (is("nameless")) connect(client, (void *)&at, sizeof at);
  if (is("rights")) {
    char room[CMSG_SPACE(sizeof one)] = {0};
    struct cmsghdr *passed = (void *)room;
    *passed = (struct cmsghdr){CMSG_LEN(sizeof one), SOL_SOCKET, SCM_RIGHTS};
    struct msghdr with = {&name, sizeof name, &byte, 1, room, sizeof room, 0};
    memcpy(CMSG_DATA(passed), &kept, sizeof kept), sendmsg(client, &with, 0);
  } else if (is("dgram")) sendto(client, "x", 1, 0, (void *)&name, sizeof name);
  else if (is("nameless")) sendmsg(client, &message, 0);
  else if (is("many")) sendmmsg(client, &many, 1, 0);
  else if (is("dial")) connect(client, (void *)&name, sizeof name), send(client, "x", 1, 0);
  else if (is("stream") && socketpair(AF_UNIX, type, 0, pair) == 0) {
    if (round & 1) shown = client, meant = one = dup(client); /* only the name is changed */
    else shown = client, meant = one = socket(AF_UNIX, type, 0);
    dup2(meant, FD), connect(FD, (void *)&name, sizeof name);
    shown = -1, close(pair[0]), close(pair[1]);
  }
  if (got(gone, type)) printf("harm connect unix:/box/g%d\n", round);
  close(kept), close(gone), close(client), close(one);
  unlink(at.sun_path), at.sun_path[5] = 'g', unlink(at.sun_path);
}

static void binds(int round) {
  struct sockaddr_un at = path('k', round);
  socklen_t size = sizeof at;
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  strcpy(name.sun_path + 6, at.sun_path + 6);
  bind(fd, (void *)&name, sizeof name), getsockname(fd, (void *)&at, &size);
  if (at.sun_path[5] == 'g') printf("harm bind unix:/box/g%d\n", round);
  unlink(at.sun_path), close(fd);
}

/* A stream's socket, another time that of datagrams. */
static void swapped(void) {
  socklen_t size = sizeof udp;
  int pair[2], there = socket(AF_INET, SOCK_DGRAM, 0), client = socket(AF_INET, SOCK_DGRAM, 0);
  struct iovec byte = {"x", 1};
  message.msg_iov = &byte, message.msg_iovlen = 1;
  socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
  udp = (struct sockaddr_in){AF_INET, 0, {inet_addr("127.0.0.1")}, ""};
  bind(there, (void *)&udp, size), getsockname(there, (void *)&udp, &size);
  dup2(pair[0], FD), meant = client, shown = pair[0];
  for (int i = 0; i < 2; i++) sendmsg(FD, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  shown = -1;
  struct pollfd soon = {there, POLLIN, 0};
  if (poll(&soon, 1, 5) == 1) printf("harm connect 127.0.0.1:%d\n", ntohs(udp.sin_port));
  close(pair[0]), close(pair[1]), close(there), close(client);
}

static void listens(int round) {
  int known = server(SOCK_DGRAM, 'k', round), plain = socket(AF_INET, SOCK_STREAM, 0), on = 0;
  struct sockaddr_un at = path('l', round);
  socklen_t size = sizeof on;
  close(known), known = socket(AF_UNIX, SOCK_STREAM, 0), bind(known, (void *)&at, sizeof at);
  dup2(known, FD), meant = plain, shown = known;
  listen(FD, 1), shown = -1;
  getsockopt(plain, SOL_SOCKET, SO_ACCEPTCONN, &on, &size);
  if (on) printf("harm bind *:0\n");
  close(known), close(plain), unlink(at.sun_path);
  at.sun_path[5] = 'k', unlink(at.sun_path);
}

static void times(int round) {
  char kept[32], gone[32];
  struct timespec old[2] = {{1, 0}, {1, 0}};
  struct stat now;
  sprintf(kept, "/box/k%d", round), sprintf(gone, "/box/g%d", round);
  int a = creat(kept, 0600), b = creat(gone, 0600);
  dup2(a, FD), meant = b, shown = a;
  futimens(FD, old), shown = -1;
  if (!stat(gone, &now) && now.st_mtime == 1) printf("harm write %s\n", gone);
  close(a), close(b), unlink(kept), unlink(gone);
}

/* A word of a program, that says which it got. */
static void programs(int round) {
  struct sockaddr_un at = path('k', round);
  strcpy(name.sun_path + 6, at.sun_path + 6);
  pid_t child = vfork();
  if (!child) execl("/bin/echo", "echo", "harm", "exec", name.sun_path, (char *)0), _exit(1);
  waitpid(child, NULL, 0);
}

int main(int count, char **words) {
  pthread_t thread;
  cpu_set_t one = {0};
  if (count < 2) return 2;
  deed = words[1], strcpy(name.sun_path, "/box/k");
  pthread_create(&thread, NULL, flip, NULL);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one), pthread_setaffinity_np(thread, sizeof one, &one);
  sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){0});
  access("/kit-begin", F_OK);
  for (int i = 0; i < (is("swapped") || is("exec") ? 90 : ROUNDS); i++) {
    if (is("bind")) binds(i);
    else if (is("swapped")) swapped();
    else if (is("listen")) listens(i);
    else if (is("times")) times(i);
    else if (is("exec")) programs(i);
    else local(i);
  }
  over = 1, pthread_join(thread, NULL);
}
