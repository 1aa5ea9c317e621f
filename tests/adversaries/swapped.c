/* Other threads put a FIFO, by a way that only the kernel can go, where a file is opened. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static void wake(int unused) { (void)unused; }

static void swapping(void) {
  renameat2(AT_FDCWD, "/proc/self/cwd/file", AT_FDCWD, "/proc/self/cwd/fifo", RENAME_EXCHANGE);
}

static void *swap(void *unused) {
  sigset_t timer;
  sigemptyset(&timer), sigaddset(&timer, SIGALRM), pthread_sigmask(SIG_BLOCK, &timer, NULL);
  for (;;) swapping(), swapping(), usleep(1);
  return unused;
}

int main(void) {
  pthread_t thread;
  struct sigaction waking = {.sa_handler = wake};
  struct itimerval often = {{0, 300}, {0, 300}};
  access("/kit-begin", F_OK);
  close(creat("file", 0600)), mkfifo("fifo", 0600);
  for (int i = 0; i < 6; i++) pthread_create(&thread, NULL, swap, NULL);
  sigaction(SIGALRM, &waking, NULL), setitimer(ITIMER_REAL, &often, NULL);
  for (time_t end = time(NULL) + 1; time(NULL) < end;) {
    int fd = open("file", O_RDONLY);
    if (fd >= 0) close(fd);
  }
}
