/* Opens what lies below a descriptor while another thread puts another folder in its place:
   shifted open|at|own|times|exec. With own it also hides the file that was opened for a while. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 60, FOLDER = 50, ASIDE = 60 };

static volatile int over, hides;
static int folders[2], null, lands;

static void *shift(void *unused) {
  while (!over) {
    dup2(folders[0], FOLDER);
    int opened = hides ? fcntl(lands, F_DUPFD, ASIDE) : -1;
    if (opened >= 0) dup2(null, lands), usleep(300), dup2(opened, lands), close(opened);
    dup2(folders[1], FOLDER);
  }
  return unused;
}

static void make(const char *folder, int i) {
  char name[64];
  sprintf(name, "%s/f%d", folder, i);
  int fd = open(name, O_CREAT | O_WRONLY, 0600);
  if (write(fd, folder, 4) != 4) _exit(3);
  close(fd);
}

int main(int count, char **words) {
  pthread_t thread;
  char name[64], text[64], read_of[5] = "";
  if (count < 2) return 2;
  mkdir("kept", 0700), mkdir("gone", 0700);
  for (int i = 0; i < ROUNDS; i++) make("kept", i), make("gone", i);
  folders[0] = open("kept", O_RDONLY), folders[1] = open("gone", O_RDONLY);
  null = open("/dev/null", O_RDONLY);
  dup2(folders[0], FOLDER);
  lands = dup(null), close(lands);
  hides = !strcmp(words[1], "own");
  access("/kit-begin", F_OK);
  for (int i = 0; i < ROUNDS && !strcmp(words[1], "exec"); i++) {
    sprintf(name, "kept/p%d", i), symlink("/usr/bin/true", name);
    sprintf(name, "gone/p%d", i), symlink("/usr/bin/echo", name);
  }
  pthread_create(&thread, NULL, shift, NULL);
  for (int i = 0; i < ROUNDS; i++) {
    sprintf(name, "f%d", i);
    if (!strcmp(words[1], "times")) {
      struct timespec old[2] = {{1, 0}, {1, 0}};
      utimensat(FOLDER, name, old, 0);
      continue;
    } else if (!strcmp(words[1], "exec")) {
      char *asked[] = {"x", text, NULL};
      sprintf(name, "p%d", i), sprintf(text, "harm exec /box/gone/p%d", i);
      int child = fork();
      if (!child) syscall(SYS_execveat, FOLDER, name, asked, NULL, 0), _exit(1);
      waitpid(child, NULL, 0);
      continue;
    }
    int at = !strcmp(words[1], "at");
    sprintf(name, at ? "f%d" : "/proc/self/fd/%d/f%d", at ? i : FOLDER, i);
    int fd = openat(FOLDER, name, O_RDONLY);
    for (int tries = 0; fd >= 0 && pread(fd, read_of, 4, 0) != 4 && tries < 5000;) tries++;
    if (fd < 0 || !*read_of) continue;
    printf("harm open /box/%s/f%d\n", read_of, i);
    close(fd), *read_of = 0;
  }
  over = 1, pthread_join(thread, NULL);
  for (int i = 0; i < 2 * ROUNDS; i++) {
    struct stat is;
    sprintf(name, "/box/%s/f%d", i % 2 ? "kept" : "gone", i / 2);
    if (!stat(name, &is) && is.st_mtime == 1) printf("harm write %s\n", name);
  }
}
