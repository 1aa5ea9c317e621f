/* Makes 25,000 calls of the table with any arguments: numbers, descriptors, and pointers into memory
   that holds paths, addresses, messages and noise, to its very end. A clock breaks off what waits.
   Every other time it has threads. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

enum { SIZE = 1 << 16, CALLS = 25000 };

static const int numbers[] = {2,   257, 437, 85,  87,  263, 84,  82,  264, 316, 83,  258, 133, 259,
                              88,  266, 86,  265, 76,  90,  91,  268, 92,  94,  93,  260, 188, 189,
                              190, 197, 198, 199, 132, 235, 261, 280, 42,  44,  46,  307, 49,  50,
                              322, 21,  269, 439, 101, 310, 165};
static const char *const words[] = {"f", "d", "d/", "s", "p", "/proc/self/fd/4", "/proc/self/mem", "",
                                    "/proc/thread-self/../cwd/x", "../box/./f", "/dev/fd/5/f", "/",
                                    "/dev/null", "user.a", "proc", "x/self/root/box/d/l", "/proc"};
static unsigned char *memory;

static unsigned long any(unsigned long below) { return below ? random() % below : 0; }

static unsigned long argument(void) {
  switch (any(9)) {
  case 0: return any(16);
  case 1: return -any(120);
  case 2: return any(1 << 24);
  case 3: return (unsigned long)(memory + SIZE - any(40)); /* what lies behind cannot be read */
  case 4: return random() << 32 ^ random();
  case 5: return 1UL << any(64);
  default: return (unsigned long)(memory + any(SIZE / 8) * 8);
  }
}

static void fill(void) {
  unsigned char *at = memory + any(SIZE / 8 - 32) * 8;
  unsigned long *parts = (void *)at;
  switch (any(6)) {
  case 4: memcpy(at, (unsigned long[]){argument(), any(130), argument(), any(4), argument(), any(64)}, 48); break;
  case 5: memcpy(at, (unsigned long[]){any(40), 1 | any(3) << 32, any(20), any(20) << 32}, 32); break;
  case 0: strcpy((char *)at, words[any(sizeof words / sizeof *words)]); break;
  case 1: memcpy(at, (unsigned char[]){any(3) ? 2 : any(12), 0, any(2), any(9), 127, 0, 0, 1}, 8); break;
  case 2: for (int i = 0; i < 7; i++) parts[i] = argument(); break;
  default: for (int i = 0; i < 64; i++) at[i] = random();
  }
}

static void rings(int number) { (void)number; }

static void *rests(void *unused) {
  sigset_t all;
  sigfillset(&all), pthread_sigmask(SIG_BLOCK, &all, NULL), pause();
  return unused;
}

int main(void) {
  unsigned seed;
  struct sigaction act = {.sa_handler = rings};
  struct itimerval often = {{0, 3000}, {0, 3000}};
  if (getrandom(&seed, sizeof seed, 0) != sizeof seed) return 1;
  srandom(seed), printf("%u\n", seed), fflush(stdout);
  memory = mmap(NULL, SIZE + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(memory + SIZE, 4096, PROT_NONE);
  for (int i = 0; i < 4000; i++) fill();
  sigaction(SIGALRM, &act, NULL), signal(SIGPIPE, SIG_IGN), setitimer(ITIMER_REAL, &often, NULL);
  dup2(2, 20), close(3);
  pthread_t other; /* what threads share can be changed, and is done in other ways */
  if (seed & 1) pthread_create(&other, NULL, rests, NULL);
  for (int i = 0; i < CALLS; i++) {
    if (i % 500 == 0) {
      mkdir("d", 0755), mkfifo("p", 0600), symlink("f", "s"), symlink("proc", "x");
      for (int fd = 3; fd < 20; fd++) close(fd);
      open("f", O_CREAT | O_RDWR, 0600), open("d", O_RDONLY), open("f", O_PATH), open("/proc", 0);
      socket(AF_INET, SOCK_DGRAM, 0), socket(AF_INET, SOCK_STREAM, 0), socket(AF_UNIX, SOCK_DGRAM, 0);
      socket(AF_INET6, SOCK_DGRAM, 0), socket(AF_UNIX, SOCK_STREAM, 0);
    }
    int number = numbers[any(sizeof numbers / sizeof *numbers)];
    unsigned long a[6];
    for (int k = 0; k < 6; k++) a[k] = argument();
    if (any(3)) a[0] = any(2) ? 3 + any(9) : number == 257 || number == 268 ? (unsigned)AT_FDCWD : a[0];
    fill();
    syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  }
  return 0;
}
