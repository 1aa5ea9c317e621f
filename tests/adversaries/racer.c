/* Another thread changes a path while it is used; each round tells which file was meant in the end.
   A path is exchanged in one step, so that no call finds half of it. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROUNDS = 1000 };

static volatile unsigned long path[2]; /* "kept" or "gone", and the end */
static volatile int over;

static void *exchange(void *unused) {
  unsigned long kept = 0, gone = 0;
  memcpy(&kept, "kept", 4), memcpy(&gone, "gone", 4);
  for (unsigned i = 0; !over; i++) path[0] = i & 256 ? kept : gone;
  return unused;
}

int main(void) {
  pthread_t thread;
  int opened = 0, deleted = 0;
  char first;
  memcpy((void *)path, "gone", 4);
  pthread_create(&thread, NULL, exchange, NULL);
  access("/kit-begin", F_OK);
  for (int i = 0; i < ROUNDS; i++) {
    int kept = creat("kept", 0600), gone = creat("gone", 0600);
    if (write(kept, "k", 1) != 1 || write(gone, "g", 1) != 1) return 1;
    close(kept), close(gone);
    int found = open((char *)path, O_RDONLY);
    if (read(found, &first, 1) != 1) return 2;
    close(found), opened += first == 'g';
    unlink((char *)path), deleted += access("gone", F_OK) != 0;
  }
  over = 1, pthread_join(thread, NULL);
  printf("%d %d\n", opened, deleted);
}
