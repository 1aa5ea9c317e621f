/* Changes an argument as soon as it was read so many times: raced CALL EYE TIMES.

   The argument lies in a page that this process has given back, so that whoever reads it makes it
   present; EYE is the file of /proc that tells so: pagemap, statm or smaps. The caller shares its
   CPU with the thread that looks, and goes on only while that sleeps. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 24, PAGE = 4096 };

static char *read_here, *written_here; /* the same page, mapped twice */
static volatile int armed, over, reads;
static const char *eye, *meant;
static int seen, times;
static size_t meant_size;

static int present(void) {
  static char text[1 << 16];
  uint64_t entry = 0;
  if (!strcmp(eye, "pagemap")) {
    if (pread(seen, &entry, 8, (uintptr_t)read_here / PAGE * 8) != 8) return 0;
    return entry >> 63;
  }
  ssize_t size = pread(seen, text, sizeof text - 1, 0);
  text[size > 0 ? size : 0] = 0;
  if (!strcmp(eye, "statm")) {
    static long before;
    long total, shared;
    sscanf(text, "%ld %*d %ld", &total, &shared);
    int more = armed == 2 && shared > before;
    before = shared, armed = 2;
    return more;
  }
  char start[32];
  sprintf(start, "%lx-", (unsigned long)read_here);
  char *mine = strstr(text, start), *rss = mine ? strstr(mine, "Rss:") : NULL;
  return rss && atoi(rss + 4) > 0;
}

static void *wait_and_change(void *unused) {
  struct timespec moment = {0, 40000};
  for (int polls = 1; !over; polls++) {
    if (!armed || polls % 400 == 0) nanosleep(&moment, NULL); /* here only the caller goes on */
    if (!armed || !present()) continue;
    if (++reads < times) madvise(read_here, PAGE, MADV_DONTNEED), armed = 1;
    else memcpy(written_here, meant, meant_size), armed = 0;
  }
  return unused;
}

static void arm(const void *shown, const void *then, size_t size) {
  memcpy(written_here, shown, size);
  meant = then, meant_size = size, reads = 0;
  madvise(read_here, PAGE, MADV_DONTNEED);
  armed = 1;
  struct timespec soon = {0, 2000000};
  nanosleep(&soon, NULL);
}

static void fill(const char *name) {
  int fd = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0600);
  if (write(fd, strstr(name, "gone") ? "g" : "k", 1) != 1) _exit(3);
  close(fd);
}

static int first_is_g(int fd) {
  char first = 0;
  int got = fd >= 0 && read(fd, &first, 1) == 1 && first == 'g';
  if (fd >= 0) close(fd);
  return got;
}

/* Whether the call met the file that was not shown. */
static int met(const char *call, const char *gone) {
  struct open_how how = {O_RDONLY, 0, 0};
  struct stat now;
  struct timespec old[2] = {{1, 0}, {1, 0}};
  if (!strcmp(call, "open")) return first_is_g(open(read_here, O_RDONLY));
  if (!strcmp(call, "openat2"))
    return first_is_g(syscall(SYS_openat2, AT_FDCWD, read_here, &how, sizeof how));
  if (!strcmp(call, "truncate")) truncate(read_here, 0);
  if (!strcmp(call, "utimensat")) utimensat(AT_FDCWD, read_here, old, 0);
  if (!strcmp(call, "chmod")) chmod(read_here, 0640);
  if (!strcmp(call, "unlink")) unlink(read_here);
  if (!strcmp(call, "setxattr")) setxattr(read_here, "user.a", "b", 1, 0);
  if (!strcmp(call, "mknod")) mknod(read_here, S_IFREG | 0640, 0);
  if (stat(gone, &now)) return errno == ENOENT && !strcmp(call, "unlink");
  if (!strcmp(call, "truncate")) return now.st_size == 0;
  if (!strcmp(call, "setxattr")) return getxattr(gone, "user.a", &how, 1) == 1;
  return !strcmp(call, "utimensat") ? now.st_mtime == 1 : (now.st_mode & 0777) == 0640;
}

static void files(const char *call) {
  const char *kind = strncmp(call, "open", 4) ? "write" : "open";
  char kept[ROUNDS][32], gone[ROUNDS][32];
  for (int i = 0; i < ROUNDS; i++) {
    sprintf(kept[i], "/box/kept%02d", i), sprintf(gone[i], "/box/gone%02d", i);
    if (strcmp(call, "mknod")) fill(kept[i]), fill(gone[i]);
  }
  access("/kit-begin", F_OK);
  for (int i = 0; i < ROUNDS; i++) {
    arm(kept[i], gone[i], sizeof "/box/kept00");
    if (met(call, gone[i])) printf("harm %s %s\n", kind, gone[i]);
  }
}

static int received(int server) {
  char byte;
  struct timespec soon = {0, 5000000};
  nanosleep(&soon, NULL);
  return recv(server, &byte, 1, MSG_DONTWAIT) >= 0;
}

static void sends(const char *call) {
  access("/kit-begin", F_OK);
  int client = socket(AF_INET, SOCK_DGRAM, 0);
  for (int i = 0; i < ROUNDS; i++) {
    struct sockaddr_in at[2] = {0};
    socklen_t size = sizeof *at;
    int servers[2];
    for (int k = 0; k < 2; k++) {
      at[k].sin_family = AF_INET, at[k].sin_addr.s_addr = inet_addr("127.0.0.1");
      servers[k] = socket(AF_INET, SOCK_DGRAM, 0);
      bind(servers[k], (void *)&at[k], size), getsockname(servers[k], (void *)&at[k], &size);
    }
    struct msghdr message = {.msg_name = read_here, .msg_namelen = size};
    arm(&at[0], &at[1], size);
    if (!strcmp(call, "sendto")) sendto(client, "", 0, 0, (void *)read_here, size);
    else if (!strcmp(call, "sendmsg")) sendmsg(client, &message, 0);
    else {
      int link = socket(AF_INET, SOCK_DGRAM, 0);
      connect(link, (void *)read_here, size), send(link, "", 0, 0), close(link);
    }
    if (received(servers[1])) printf("harm connect 127.0.0.1:%d\n", ntohs(at[1].sin_port));
    close(servers[0]), close(servers[1]);
  }
}

static void peer(int client, struct sockaddr_un *at) {
  socklen_t size = sizeof *at;
  memset(at, 0, sizeof *at), getpeername(client, (void *)at, &size);
}

/* A program that is started by a process that shares our memory. */
static void programs(void) {
  access("/kit-begin", F_OK);
  for (int i = 0; i < ROUNDS; i++) {
    char kept[32], gone[32], text[64];
    sprintf(kept, "/box/kept%02d", i), sprintf(gone, "/box/gone%02d", i);
    sprintf(text, "harm exec %s", gone);
    if (symlink("/usr/bin/true", kept) || symlink("/usr/bin/echo", gone)) _exit(3);
    arm(kept, gone, sizeof "/box/kept00");
    int child = vfork();
    if (!child) execl(read_here, "x", text, (char *)0), _exit(1);
    waitpid(child, NULL, 0);
  }
}

static void locals(int type) {
  access("/kit-begin", F_OK);
  for (int i = 0; i < ROUNDS; i++) {
    struct sockaddr_un at[2] = {{AF_UNIX, ""}, {AF_UNIX, ""}};
    int servers[2], client = socket(AF_UNIX, type, 0);
    for (int k = 0; k < 2; k++) {
      sprintf(at[k].sun_path, "/box/%s%02d", k ? "gone" : "kept", i);
      servers[k] = socket(AF_UNIX, type, 0);
      bind(servers[k], (void *)&at[k], sizeof *at), listen(servers[k], 1);
    }
    arm(&at[0], &at[1], sizeof *at);
    if (type == SOCK_DGRAM) sendto(client, "x", 1, 0, (void *)read_here, sizeof *at);
    else connect(client, (void *)read_here, sizeof *at), peer(client, &at[0]);
    if (type == SOCK_DGRAM ? received(servers[1]) : !strcmp(at[0].sun_path, at[1].sun_path))
      printf("harm connect unix:%s\n", at[1].sun_path);
    close(servers[0]), close(servers[1]), close(client);
  }
}

int main(int count, char **words) {
  pthread_t thread;
  char name[64];
  cpu_set_t one;
  if (count < 4) return 2;
  int memory = memfd_create("page", 0);
  if (ftruncate(memory, PAGE)) return 3;
  read_here = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  written_here = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  eye = words[2], times = atoi(words[3]);
  if (symlink("proc", "/box/x")) return 4;
  sprintf(name, "/proc/self/%s", eye);
  if ((seen = open(name, O_RDONLY)) < 0) return printf("blind: %s\n", strerrorname_np(errno)) < 0;
  pthread_create(&thread, NULL, wait_and_change, NULL);
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one), pthread_setaffinity_np(thread, sizeof one, &one);
  sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){0});
  if (!strcmp(words[1], "unix")) locals(SOCK_DGRAM);
  else if (!strcmp(words[1], "stream")) locals(SOCK_STREAM);
  else if (!strcmp(words[1], "exec")) programs();
  else if (!strncmp(words[1], "send", 4) || !strcmp(words[1], "connect")) sends(words[1]);
  else files(words[1]);
  over = 1, pthread_join(thread, NULL);
}
