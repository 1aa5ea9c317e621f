#define _GNU_SOURCE
/* In the box: becomes the program, whose job is then an open file without a name. Events count from
 * that exec, so that nothing of the program comes before it, whatever it does ahead of main.
 * Arguments: folders that it is to find, "--", its command. */

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void make(char *path) {
  for (char *c = path + 1;; c++) {
    if (*c && *c != '/') continue;
    char kept = *c;
    *c = 0;
    mkdir(path, 0755);
    *c = kept;
    if (!kept) return;
  }
}

static void clear(const char *folder) {
  DIR *entries = opendir(folder);
  for (struct dirent *entry; entries && (entry = readdir(entries));) {
    if (entry->d_name[0] != '.') unlinkat(dirfd(entries), entry->d_name, 0);
  }
  if (entries) closedir(entries);
  rmdir(folder);
}

int main(int argc, char **argv) {
  int at = 1;
  char number[16];
  for (; at < argc && strcmp(argv[at], "--"); at++) make(argv[at]);
  snprintf(number, sizeof number, "%d", open(".kit/job.json", O_RDONLY));
  setenv("KIT_JOB", number, 1);
  clear(".kit");
  if (access("/kit-start", F_OK)) execv(argv[at + 1], argv + at + 1);
  perror(argv[at + 1]);
  return 127;
}
