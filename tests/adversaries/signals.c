/* signals WAY SECONDS: deeds that succeed once, while signals come five thousand times a second; WAY
   is restart for handlers after which calls go on. Prints what was answered otherwise than alone. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long rings, loops, wrong;
static void ring(int number) { (void)number, rings++; }

static void is(const char *what, int good) {
  if (!good && wrong++ < 20) printf("wrong %s %s %ld\n", what, strerrorname_np(errno), loops);
}

int main(int count, char **words) {
  struct sigaction act = {.sa_handler = ring};
  struct itimerval often = {{0, 200}, {0, 200}}, never = {0};
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(7001)};
  if (count < 3) return 1;
  if (!strcmp(words[1], "restart")) act.sa_flags = SA_RESTART;
  inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
  int in = socket(AF_INET, SOCK_DGRAM, 0), out = socket(AF_INET, SOCK_DGRAM, 0), status, fd;
  long data;
  if (bind(in, (void *)&to, sizeof to)) return 1;
  sigaction(SIGALRM, &act, NULL), setitimer(ITIMER_REAL, &often, NULL);
  for (time_t end = time(NULL) + atoi(words[2]); time(NULL) < end; loops++) {
    is("mkdir", !mkdir("d", 0700)), is("rmdir", !rmdir("d"));
    is("create", (fd = open("f", O_CREAT | O_EXCL | O_WRONLY, 0600)) >= 0), close(fd);
    is("rename", !rename("f", "g")), is("symlink", !symlink("g", "s"));
    is("open", (fd = open("s", O_RDONLY)) >= 0), close(fd);
    is("chmod", !chmod("g", 0600)), is("access", !access("g", 0));
    is("unlink", !unlink("s") && !unlink("g"));
    is("send", sendto(out, &loops, sizeof loops, 0, (void *)&to, sizeof to) == sizeof loops);
    is("receive", recv(in, &data, sizeof data, MSG_DONTWAIT) == sizeof data && data == loops);
    is("receive once", recv(in, &data, sizeof data, MSG_DONTWAIT) < 0);
    if (loops % 64) continue;
    pid_t child = vfork();
    if (!child) execl("/bin/true", "true", NULL), _exit(errno);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    is("exec", !status);
  }
  setitimer(ITIMER_REAL, &never, NULL);
  printf("%ld %ld\n", loops, rings);
  return 0;
}
