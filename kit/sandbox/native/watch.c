/* Sees what the programs of a box do, as strace would, and does the deed where that can be raced.

   watch CONTROL TRACE TABLE COMMAND...: starts COMMAND, then for every message on CONTROL (the pid of
   a box's first process, and a socket to it) forks a watcher of that box, which writes the form of
   `strace -f -y` to TRACE; when no process of the box is left, how the watcher ended is the answer.

   A call of TABLE stops before it begins, and its maker waits. An open is done here, in the box's
   mount namespace, and the descriptor handed over: nothing read from memory is read a second time.
   What cannot be done for another process goes on in the kernel and is looked at when it is over:
   paths that lead below /proc mean the caller's own process, and a program replaces its caller.
   Forks, ends and signals come by ptrace, which stops at no call. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <elf.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/nsfs.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS /* since Linux 6.6; its answer may be "no" */
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#endif
#ifndef SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP 1UL
#endif

enum { NUMBERS = 512, PATH = 4096, SHOWN = 4096, CHUNK = 512, HELD = 1 << 16, LOOPS = 4 };

typedef struct seccomp_notif Ask;

/* How a call's arguments are shown: d a folder, p a path in it or in the working folder, s a text,
   o open's flags, h openat2's, n a descriptor, a an address and its length, M a message, V several,
   v a list of texts, x AT_ flags, r those of a rename, - nothing. */
static struct call {
  char name[24], shape[12], kind[12];
} table[NUMBERS];

static int proc, listener, trace; /* the host's /proc; the filter's; the trace */
static int fifos, proc_links;     /* whether the program made such; then more care is taken */
static Ask restarted;             /* the call that our stop broke off */

static void die(const char *why) {
  perror(why);
  _exit(1);
}

/* Texts */

typedef struct {
  char *data;
  size_t size, room;
} Text;

static Text held; /* lines to be written */
static pthread_mutex_t telling = PTHREAD_MUTEX_INITIALIZER;

static void add(Text *text, const char *bytes, size_t size) {
  if (text->size + size > text->room) {
    text->room = (text->size + size) * 2;
    if (!(text->data = realloc(text->data, text->room))) die("memory");
  }
  memcpy(text->data + text->size, bytes, size);
  text->size += size;
}

static void say(Text *text, const char *bytes) { add(text, bytes, strlen(bytes)); }

static void sayf(Text *text, const char *format, ...) {
  char line[256];
  va_list rest;
  va_start(rest, format);
  int size = vsnprintf(line, sizeof line, format, rest);
  va_end(rest);
  add(text, line, size);
}

/* Bytes as strace shows them: all that could be taken for a part of the line in octal. */
static void escape(Text *text, const char *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) {
    unsigned char c = bytes[i];
    if (c >= 32 && c < 127 && !strchr("\"\\<>", c)) add(text, &bytes[i], 1);
    else sayf(text, "\\%03o", c);
  }
}

static void quote(Text *text, const char *bytes, size_t size) {
  say(text, "\""), escape(text, bytes, size), say(text, "\"");
}

static void flush(void) {
  for (size_t done = 0; done < held.size;) {
    ssize_t n = write(trace, held.data + done, held.size - done);
    if (n < 0 && errno != EINTR) die("trace");
    if (n > 0) done += n;
  }
  held.size = 0;
}

static void tell(Text *line) {
  add(&held, line->data, line->size), say(&held, "\n");
  line->size = 0;
  if (held.size > HELD) flush();
}

/* Another process: its memory, its descriptors, its working folder */

/* A program may make itself untraceable by its equals; its tracer has one right more in reserve. */
static void rights(int on) {
  struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct sets[2] = {{0}};
  sets[0].permitted = 1 << CAP_SYS_PTRACE;
  sets[0].effective = on ? 1 << CAP_SYS_PTRACE : 0;
  if (syscall(SYS_capset, &head, sets)) die("capset");
}

static ssize_t peek(pid_t pid, unsigned long at, void *to, size_t size) {
  struct iovec ours = {to, size}, theirs = {(void *)at, size};
  ssize_t got = process_vm_readv(pid, &ours, 1, &theirs, 1, 0);
  if (got >= 0 || errno != EPERM) return got;
  rights(1), got = process_vm_readv(pid, &ours, 1, &theirs, 1, 0), rights(0);
  return got;
}

/* A text of the process, without its end: its length, `most` where it is longer, -1 for a fault. */
static long text_at(pid_t pid, unsigned long at, char *to, size_t most) {
  for (size_t done = 0; done < most;) {
    size_t step = CHUNK - (at + done) % CHUNK;
    if (step > most - done) step = most - done;
    if (peek(pid, at + done, to + done, step) != (ssize_t)step) return -1;
    char *end = memchr(to + done, 0, step);
    if (end) return end - to;
    done += step;
  }
  return most;
}

/* The kernel tells no path above PATH; the trace then says that it shows less than there was. */
static ssize_t too_long(char *to) {
  say(&held, "0 --- cut ---\n");
  return sprintf(to, "/...");
}

static void place(char *to, pid_t pid, int fd) {
  if (fd == AT_FDCWD) sprintf(to, "%d/cwd", pid);
  else sprintf(to, "%d/fd/%d", pid, fd);
}

/* Where a descriptor or the working folder of the process leads; "" where there is none. */
static void leads(pid_t pid, int fd, char to[PATH]) {
  char name[48];
  place(name, pid, fd);
  ssize_t size = readlinkat(proc, name, to, PATH - 1);
  if (size < 0 && (errno == EACCES || errno == EPERM))
    rights(1), size = readlinkat(proc, name, to, PATH - 1), rights(0);
  if (size < 0 && errno == ENAMETOOLONG) size = too_long(to);
  to[size > 0 ? size : 0] = 0;
}

/* The same, held. */
static int hold(pid_t pid, int fd) {
  char name[48];
  place(name, pid, fd);
  int got = openat(proc, name, O_PATH | O_CLOEXEC);
  if (got < 0 && (errno == EACCES || errno == EPERM))
    rights(1), got = openat(proc, name, O_PATH | O_CLOEXEC), rights(0);
  return got;
}

static void show_file(Text *line, const char *path) {
  static const char gone[] = " (deleted)";
  size_t size = strlen(path), end = sizeof gone - 1;
  int deleted = size > end && !strcmp(path + size - end, gone);
  if (!size) return;
  say(line, "<"), escape(line, path, deleted ? size - end : size), say(line, ">");
  if (deleted) say(line, "(deleted)");
}

static void show_place(Text *line, int fd, const char *path) {
  if (fd == AT_FDCWD) say(line, "AT_FDCWD");
  else sayf(line, "%d", fd);
  show_file(line, path);
}

/* A number that /proc tells of the process. */
static long status_of(pid_t pid, const char *field, int digits) {
  char name[32], status[1024];
  sprintf(name, "%d/status", pid);
  int fd = openat(proc, name, O_RDONLY | O_CLOEXEC);
  ssize_t size = fd < 0 ? 0 : read(fd, status, sizeof status - 1);
  if (fd >= 0) close(fd);
  status[size > 0 ? size : 0] = 0;
  char *found = strstr(status, field);
  return found ? strtol(found + strlen(field), NULL, digits) : 0;
}

/* A descriptor of the process, shared with us. */
static int borrow(pid_t pid, int fd) {
  int process = syscall(SYS_pidfd_open, (pid_t)status_of(pid, "\nTgid:", 10), 0);
  int got = process < 0 ? -1 : syscall(SYS_pidfd_getfd, process, fd, 0);
  if (got < 0 && process >= 0 && errno == EPERM)
    rights(1), got = syscall(SYS_pidfd_getfd, process, fd, 0), rights(0);
  if (process >= 0) close(process);
  return got;
}

/* Lines */

static void show_flags(Text *line, unsigned long flags) {
  static const char *const ways[] = {"O_RDONLY", "O_WRONLY", "O_RDWR", "O_ACCMODE"};
  say(line, ways[flags & O_ACCMODE]);
  if (flags & O_CREAT) say(line, "|O_CREAT");
  if (flags & O_TRUNC) say(line, "|O_TRUNC");
  if (flags & O_NOFOLLOW) say(line, "|O_NOFOLLOW");
}

static void show_address(Text *line, const unsigned char *bytes, size_t size) {
  union {
    struct sockaddr any;
    struct sockaddr_in in;
    struct sockaddr_in6 in6;
    struct sockaddr_un un;
  } a = {0};
  char text[64];
  memcpy(&a, bytes, size < sizeof a ? size : sizeof a);
  if (size >= sizeof a.in && a.any.sa_family == AF_INET) {
    sayf(line, "{sa_family=AF_INET, sin_port=htons(%d), sin_addr=inet_addr(\"%s\")}",
         ntohs(a.in.sin_port), inet_ntop(AF_INET, &a.in.sin_addr, text, sizeof text));
  } else if (size >= 24 && a.any.sa_family == AF_INET6) {
    sayf(line, "{sa_family=AF_INET6, sin6_port=htons(%d), inet_pton(AF_INET6, \"%s\", &a)}",
         ntohs(a.in6.sin6_port), inet_ntop(AF_INET6, &a.in6.sin6_addr, text, sizeof text));
  } else if (size > 2 && a.any.sa_family == AF_UNIX) {
    size_t most = size - 2 < sizeof a.un.sun_path ? size - 2 : sizeof a.un.sun_path;
    int named = a.un.sun_path[0] != 0; /* an abstract name may hold any byte, a path ends with 0 */
    say(line, named ? "{sa_family=AF_UNIX, sun_path=" : "{sa_family=AF_UNIX, sun_path=@");
    if (named) quote(line, a.un.sun_path, strnlen(a.un.sun_path, most));
    else quote(line, a.un.sun_path + 1, most - 1);
    say(line, "}");
  } else if (size >= 2 && a.any.sa_family == AF_UNSPEC) {
    say(line, "{sa_family=AF_UNSPEC, sa_data="), quote(line, (char *)bytes + 2, size - 2);
    say(line, "}");
  } else if (size >= 2) {
    static const char *const names[] = {[AF_UNIX] = "UNIX", [AF_INET] = "INET",
                                        [AF_INET6] = "INET6", [AF_NETLINK] = "NETLINK"};
    unsigned family = a.any.sa_family;
    if (family < sizeof names / sizeof *names && names[family])
      sayf(line, "{sa_family=AF_%s}", names[family]);
    else sayf(line, "{sa_family=AF_%u}", family);
  } else {
    say(line, "NULL");
  }
}

/* An address of the process; the number of its bytes, 0 where it names none. */
static size_t address_at(pid_t pid, unsigned long at, unsigned long size, void *to, size_t most) {
  if (!at || size > most || peek(pid, at, to, size) != (ssize_t)size) return 0;
  return size;
}

/* One message: whether it names an address. */
static int show_message(Text *line, pid_t pid, unsigned long at) {
  struct msghdr message;
  struct sockaddr_storage address;
  if (peek(pid, at, &message, sizeof message) != sizeof message) return 0;
  size_t size = address_at(pid, (unsigned long)message.msg_name, message.msg_namelen, &address,
                           sizeof address);
  if (!size) return 0;
  say(line, "{msg_name="), show_address(line, (void *)&address, size), say(line, "}, ");
  return 1;
}

static void show_list(Text *line, pid_t pid, unsigned long at) {
  static char text[SHOWN];
  unsigned long one;
  say(line, "[");
  for (int i = 0; peek(pid, at + 8 * i, &one, 8) == 8 && one; i++) {
    if (i) say(line, ", ");
    if (i == SHOWN) {
      say(line, "...");
      break;
    }
    long size = text_at(pid, one, text, SHOWN);
    if (size < 0) say(line, "NULL");
    else quote(line, text, size);
    if (size == SHOWN) say(line, "...");
  }
  say(line, "]");
}

/* The texts of a call, read once: what is shown of them is what is done with them. */
static struct given {
  int count;
  struct path {
    long size; /* -1 for a fault, PATH where it is longer than a path may be */
    int named, fd, folder;
    char text[PATH], base[PATH];
  } path[2];
} given;

static int starts(const char *text, const char *with) { return !strncmp(text, with, strlen(with)); }

/* Whether a path has a part of this name. */
static int has(const char *path, const char *name) {
  size_t size = strlen(name);
  for (const char *at = path; (at = strstr(at, name)); at += size)
    if ((at == path || at[-1] == '/') && (!at[size] || at[size] == '/')) return 1;
  return 0;
}

/* Whether a path could mean the caller's own process, as all that leads below /proc. */
static int own(const struct path *path) {
  static const char *const plain[] = {"/dev/null", "/dev/zero", "/dev/urandom", "/dev/shm/"};
  for (int i = 0; i < 4; i++)
    if (starts(path->text, plain[i]) && !has(path->text, "proc")) return proc_links;
  return proc_links || has(path->text, "proc") || has(path->text, "dev") ||
         starts(path->base, "/proc") || starts(path->base, "/dev");
}

static void forget(void) {
  for (int i = 0; i < given.count; i++)
    if (given.path[i].folder >= 0) close(given.path[i].folder);
  given.count = 0;
}

/* Where a descriptor of ours leads. */
static void real_path(int fd, char to[PATH]) {
  char name[32];
  sprintf(name, "self/fd/%d", fd);
  ssize_t size = readlinkat(proc, name, to, PATH - 1);
  if (size < 0 && errno == ENAMETOOLONG) size = too_long(to);
  to[size > 0 ? size : 0] = 0;
}

static void gather(const Ask *ask, const struct call *call) {
  int fd = AT_FDCWD, named = 0, at = 0;
  forget();
  for (const char *shape = call->shape; *shape; shape++, at++) {
    struct path *path = &given.path[given.count];
    if (*shape == 'd') fd = (int)ask->data.args[at], named = 1;
    if (*shape != 'p' && *shape != 's') continue;
    *path->base = 0, path->folder = -1, path->named = named, path->fd = fd;
    path->size = text_at(ask->pid, ask->data.args[at], path->text, PATH);
    path->text[path->size < 0 ? 0 : path->size < PATH ? path->size : PATH - 1] = 0;
    if (*shape == 's') {
      proc_links |= has(path->text, "proc") || has(path->text, "dev");
    } else if (path->size <= 0 || *path->text != '/') {
      if ((path->folder = hold(ask->pid, fd)) >= 0) real_path(path->folder, path->base);
    } else if (own(path)) {
      leads(ask->pid, path->fd = AT_FDCWD, path->base);
    } else {
      path->fd = AT_FDCWD, strcpy(path->base, "/");
    }
    given.count++, fd = AT_FDCWD, named = 0;
  }
}

/* The call as far as it is known before it begins; whether anyone wants to know of it. */
static int show(Text *line, const Ask *ask, const struct call *call) {
  static char where[PATH];
  struct sockaddr_storage address;
  struct open_how how = {0};
  int wanted = 1, at = 0, texts = 0;
  sayf(line, "%d %s(", ask->pid, call->name);
  for (const char *shape = call->shape; *shape; shape++, at++) {
    unsigned long value = ask->data.args[at];
    struct path *path = &given.path[texts];
    if (*shape == 'p') {
      if (path->named || path->size >= 0) show_place(line, path->fd, path->base), say(line, ", ");
      if (path->size < 0) say(line, "NULL");
      else quote(line, path->text, strlen(path->text));
    } else if (*shape == 's') quote(line, path->text, strlen(path->text));
    else if (*shape == 'n') {
      leads(ask->pid, (int)value, where), show_place(line, (int)value, where);
    } else if (*shape == 'o') show_flags(line, value);
    else if (*shape == 'c') show_flags(line, O_CREAT | O_WRONLY | O_TRUNC);
    else if (*shape == 'h') {
      if (peek(ask->pid, value, &how, sizeof how) > 0) show_flags(line, how.flags);
    } else if (*shape == 'x') {
      if (value & AT_SYMLINK_NOFOLLOW) say(line, "AT_SYMLINK_NOFOLLOW");
      if (value & AT_SYMLINK_FOLLOW) say(line, "AT_SYMLINK_FOLLOW");
    } else if (*shape == 'r') {
      if (value & RENAME_EXCHANGE) say(line, "RENAME_EXCHANGE");
    } else if (*shape == 'v') show_list(line, ask->pid, value);
    else if (*shape == 'a') {
      size_t size = address_at(ask->pid, value, ask->data.args[at + 1], &address, sizeof address);
      wanted = size > 0;
      if (size) show_address(line, (void *)&address, size);
    } else if (*shape == 'M') wanted = show_message(line, ask->pid, value);
    else if (*shape == 'V') {
      wanted = 0;
      unsigned long count = ask->data.args[at + 1] < SHOWN ? ask->data.args[at + 1] : SHOWN;
      for (unsigned long i = 0; i < count; i++)
        wanted |= show_message(line, ask->pid, value + i * sizeof(struct mmsghdr));
    }
    texts += *shape == 'p' || *shape == 's';
    if (*shape == 'm') fifos |= S_ISFIFO(value);
    if (!strchr("d-m", *shape) && shape[1]) say(line, ", ");
  }
  return wanted;
}

static void show_result(Text *line, long value, const char *real) {
  if (value < 0) {
    const char *name = strerrorname_np(-value);
    sayf(line, ") = -1 %s ()", name ? name : "EPERM");
  } else {
    sayf(line, ") = %ld", value);
    if (real) show_file(line, real);
  }
}

/* Answers */

static void answer(const Ask *ask, long value, int go_on) {
  struct seccomp_notif_resp said = {.id = ask->id};
  if (go_on) said.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  else if (value < 0) said.error = value;
  else said.val = value;
  if (ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &said) && errno != ENOENT) die("answer");
}

/* Calls that go on in the kernel, until their makers stop with the results. */
static struct going {
  struct going *next;
  Ask ask;
  Text line;
  int opens;
  char path[PATH]; /* of a program to be started */
} *going;

static struct going *take(pid_t pid) {
  for (struct going **at = &going, *found; (found = *at); at = &found->next)
    if ((pid_t)found->ask.pid == pid) return *at = found->next, found;
  return NULL;
}

static void drop(struct going *one) {
  if (one) free(one->line.data), free(one);
}

static struct going *go_on(const Ask *ask, Text *line, const struct call *call) {
  struct going *one = calloc(1, sizeof *one);
  if (!one) die("memory");
  drop(take(ask->pid));
  *one = (struct going){.next = going, .ask = *ask, .line = *line};
  one->opens = !strcmp(call->kind, "open");
  if (!strcmp(call->kind, "exec") && given.path[0].fd == AT_FDCWD)
    strcpy(one->path, given.path[0].text);
  *line = (Text){0};
  ptrace(PTRACE_INTERRUPT, ask->pid, 0, 0); /* it will stop as soon as the call is over */
  return going = one;
}

/* Deeds done here */

static int is_fifo(const struct path *path, long flags) {
  struct stat found;
  int follow = flags & O_NOFOLLOW ? AT_SYMLINK_NOFOLLOW : 0;
  return fifos && !fstatat(path->folder, path->text, &found, follow) && S_ISFIFO(found.st_mode);
}

/* Hand a descriptor over as what the call returns; that, or a negative errno. */
static long hand_over(const Ask *ask, int fd, long flags) {
  struct seccomp_notif_addfd given = {.id = ask->id, .srcfd = fd};
  given.flags = SECCOMP_ADDFD_FLAG_SEND, given.newfd_flags = flags & O_CLOEXEC;
  long value = ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &given);
  if (value >= 0) return value;
  value = -errno;
  answer(ask, value, 0);
  return value;
}

/* What stands against a path before it is used: a negative errno, 0 for nothing. */
static long refused(const struct path *path) {
  if (path->size < 0) return -EFAULT;
  if (path->size == PATH) return -ENAMETOOLONG;
  return path->folder < 0 && *path->text != '/' ? -EBADF : 0;
}

/* open, openat, creat: 0 where the kernel must do it. */
static int opened(const Ask *ask, const struct call *call) {
  static Text line;
  static char real[PATH];
  const struct path *path = &given.path[0];
  const __u64 *rest = &ask->data.args[(*call->shape == 'd') + 1];
  int made = strchr(call->shape, 'c') != NULL, fd = -1;
  long flags = made ? O_CREAT | O_WRONLY | O_TRUNC : (long)rest[0], value = refused(path);
  if (!value && (own(path) || is_fifo(path, flags))) return 0;
  if (!value) {
    if (flags & (O_CREAT | __O_TMPFILE)) umask(status_of(ask->pid, "\nUmask:", 8));
    fd = openat(path->folder, path->text, (int)flags | O_CLOEXEC | O_NOCTTY, rest[!made] & 07777);
    if (fd < 0) value = -errno;
  }
  if (fd >= 0) value = hand_over(ask, fd, flags);
  else answer(ask, value, 0);
  show(&line, ask, call);
  *real = 0;
  if (fd >= 0) real_path(fd, real), close(fd);
  show_result(&line, value, real);
  tell(&line);
  return 1;
}

/* Deletes, renames, new folders and links, rights, owners: 0 where the kernel must do it. */
static int done(const Ask *ask, const struct call *call) {
  static Text line;
  const __u64 *args = ask->data.args;
  const struct path *one = &given.path[0], *two = &given.path[1];
  static const short ours[] = {
      SYS_unlink, SYS_unlinkat, SYS_rmdir,     SYS_rename, SYS_renameat, SYS_renameat2,
      SYS_mkdir,  SYS_mkdirat,  SYS_symlink,   SYS_link,   SYS_linkat,   SYS_symlinkat,
      SYS_chmod,  SYS_fchmodat, SYS_chown,     SYS_lchown, SYS_fchownat};
  long value = 0, number = ask->data.nr, known = 0;
  for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) known |= ours[i] == number;
  if (!known) return 0;
  for (int i = 0; i < given.count; i++) {
    int text = call->shape[0] == 's' && !i;
    if (!value) value = text ? one->size < 0 ? -EFAULT : one->size == PATH ? -ENAMETOOLONG : 0
                             : refused(&given.path[i]);
    if (!text && own(&given.path[i])) return 0;
  }
  if (number == SYS_linkat && args[4] & AT_EMPTY_PATH) return 0;
  if (number == SYS_mkdir || number == SYS_mkdirat) umask(status_of(ask->pid, "\nUmask:", 8));
  if (value) number = -1;
  int a = one->folder, b = two->folder, failed = -1;
  const char *p = one->text, *q = two->text;
  switch (number) {
  case -1: errno = -value; break;
  case SYS_unlink: failed = unlinkat(a, p, 0); break;
  case SYS_unlinkat: failed = unlinkat(a, p, args[2]); break;
  case SYS_rmdir: failed = unlinkat(a, p, AT_REMOVEDIR); break;
  case SYS_rename:
  case SYS_renameat: failed = renameat2(a, p, b, q, 0); break;
  case SYS_renameat2: failed = renameat2(a, p, b, q, args[4]); break;
  case SYS_mkdir: failed = mkdirat(a, p, args[1]); break;
  case SYS_mkdirat: failed = mkdirat(a, p, args[2]); break;
  case SYS_symlink:
  case SYS_symlinkat: failed = symlinkat(p, b, q); break;
  case SYS_link: failed = linkat(a, p, b, q, 0); break;
  case SYS_linkat: failed = linkat(a, p, b, q, args[4]); break;
  case SYS_chmod: failed = syscall(SYS_fchmodat, a, p, args[1]); break;
  case SYS_fchmodat: failed = syscall(SYS_fchmodat, a, p, args[2]); break;
  case SYS_chown: failed = fchownat(a, p, args[1], args[2], 0); break;
  case SYS_lchown: failed = fchownat(a, p, args[1], args[2], AT_SYMLINK_NOFOLLOW); break;
  case SYS_fchownat: failed = fchownat(a, p, args[2], args[3], args[4]); break;
  }
  value = failed ? -errno : 0;
  show(&line, ask, call), show_result(&line, value, NULL), tell(&line);
  answer(ask, value, 0);
  return 1;
}

/* A connection or a name for a socket of the internet's: 0 where the kernel must give it.

   A connection may take its time, in which others of the box must be answered. */
struct dialled {
  Ask ask;
  int fd, apart;
  socklen_t size;
  struct sockaddr_storage to;
  Text line;
};

static void *dial(void *given) {
  struct dialled *one = given;
  struct sockaddr *to = (void *)&one->to;
  int bind_it = one->ask.data.nr == SYS_bind;
  int failed = bind_it ? bind(one->fd, to, one->size) : connect(one->fd, to, one->size);
  long value = failed ? -errno : 0;
  if (one->apart) pthread_mutex_lock(&telling);
  show_result(&one->line, value, NULL), tell(&one->line);
  if (one->apart) pthread_mutex_unlock(&telling);
  answer(&one->ask, value, 0);
  close(one->fd), free(one->line.data), free(one);
  return NULL;
}

static int dialled(const Ask *ask, const struct call *call) {
  static char where[PATH];
  struct dialled *one = calloc(1, sizeof *one);
  pthread_t thread;
  if (!one) die("memory");
  one->ask = *ask;
  one->size = address_at(ask->pid, ask->data.args[1], ask->data.args[2], &one->to, sizeof one->to);
  int family = one->size >= 2 ? one->to.ss_family : AF_UNIX;
  one->fd = family == AF_INET || family == AF_INET6 ? borrow(ask->pid, ask->data.args[0]) : -1;
  if (one->fd < 0) {
    free(one);
    return 0;
  }
  leads(ask->pid, (int)ask->data.args[0], where);
  sayf(&one->line, "%d %s(", ask->pid, call->name);
  show_place(&one->line, (int)ask->data.args[0], where), say(&one->line, ", ");
  show_address(&one->line, (void *)&one->to, one->size);
  one->apart = ask->data.nr == SYS_connect;
  if (one->apart && !pthread_create(&thread, NULL, dial, one)) {
    pthread_detach(thread);
    return 1;
  }
  one->apart = 0, dial(one);
  return 1;
}

/* Everything that a listener or a stop can tell */

static void asked(void) {
  static Ask ask;
  static Text line;
  memset(&ask, 0, sizeof ask), line.size = 0;
  if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &ask)) return; /* its maker is gone */
  struct call *call = &table[ask.data.nr & (NUMBERS - 1)];
  gather(&ask, call);
  if (!strcmp(call->kind, "open") ? !strchr(call->shape, 'h') && opened(&ask, call)
                                  : given.count && done(&ask, call))
    return;
  if ((ask.data.nr == SYS_connect || ask.data.nr == SYS_bind) && dialled(&ask, call)) return;
  int wanted = show(&line, &ask, call);
  if (!strcmp(call->kind, "refused")) {
    answer(&ask, -EPERM, 0), show_result(&line, -EPERM, NULL), tell(&line);
  } else if (!strcmp(call->kind, "mark")) {
    answer(&ask, 0, 1);
    if (memmem(line.data, line.size, "\"/kit-", 6)) show_result(&line, -ENOENT, NULL), tell(&line);
  } else {
    int again = ask.pid == restarted.pid && ask.data.nr == restarted.data.nr;
    if (wanted && !again) go_on(&ask, &line, call);
    else if (wanted) restarted.pid = 0, say(&line, ") = ?"), tell(&line);
    answer(&ask, 0, 1);
  }
}

/* A call that would have waited was broken off by our stop, and begins again: then without one. */
static void finish(struct going *one, long value) {
  char real[PATH] = "";
  if (value <= -512 && value >= -516) {
    restarted = one->ask, drop(one);
    return;
  }
  if (one->opens && value >= 0) leads(one->ask.pid, (int)value, real);
  show_result(&one->line, value, real);
  tell(&one->line);
  drop(one);
}

static void ended(pid_t pid, int status) {
  Text line = {0};
  drop(take(pid));
  if (WIFEXITED(status)) {
    sayf(&line, "%d +++ exited with %d +++", pid, WEXITSTATUS(status));
  } else {
    const char *name = sigabbrev_np(WTERMSIG(status));
    sayf(&line, "%d +++ killed by SIG", pid);
    if (name) say(&line, name);
    else sayf(&line, "RT_%d", WTERMSIG(status) - 32);
    say(&line, " +++");
  }
  tell(&line), free(line.data);
}

/* A program that began under another path than was read before: the one that it was is told. */
static void began(pid_t pid, const struct going *one, Text *line) {
  static char text[PATH];
  unsigned long words[64], at = 0;
  char name[32];
  if (!*one->path) return;
  sprintf(name, "%d/auxv", pid);
  int fd = openat(proc, name, O_RDONLY | O_CLOEXEC);
  ssize_t size = fd < 0 ? 0 : read(fd, words, sizeof words);
  if (fd >= 0) close(fd);
  for (ssize_t i = 0; i + 16 <= size; i += 16)
    if (words[i / 8] == AT_EXECFN) at = words[i / 8 + 1];
  long length = at ? text_at(pid, at, text, PATH) : 0;
  if (length <= 0 || length == PATH || !strcmp(text, one->path)) return;
  sayf(line, "%d execve(", pid), quote(line, text, length), say(line, ", []");
  show_result(line, 0, NULL), tell(line);
}

static void stopped(pid_t pid, int status) {
  int event = status >> 16, number = WSTOPSIG(status);
  struct user_regs_struct registers;
  struct going *one;
  unsigned long was;
  if (event == PTRACE_EVENT_EXEC) {
    ptrace(PTRACE_GETEVENTMSG, pid, 0, &was);
    if ((one = take(was))) { /* a thread that becomes a program has the number of the first */
      char *name = memchr(one->line.data, ' ', one->line.size);
      Text line = {0};
      sayf(&line, "%d", pid), add(&line, name, one->line.size - (name - one->line.data));
      show_result(&line, 0, NULL), tell(&line);
      began(pid, one, &line);
      free(line.data), drop(one);
    }
  } else if (event == PTRACE_EVENT_STOP && number != SIGTRAP) {
    ptrace(PTRACE_LISTEN, pid, 0, 0);
    return;
  } else if (event == PTRACE_EVENT_STOP && (one = take(pid))) {
    if (ptrace(PTRACE_GETREGS, pid, 0, &registers)) drop(one);
    else finish(one, registers.rax);
  }
  ptrace(PTRACE_CONT, pid, 0, event ? 0 : number);
}

/* Whether processes are left. */
static int changed(void) {
  int status;
  for (;;) {
    pid_t pid = waitpid(-1, &status, __WALL | WNOHANG);
    if (pid <= 0) return pid == 0 || errno != ECHILD;
    if (WIFSTOPPED(status)) stopped(pid, status);
    else ended(pid, status);
  }
}

/* Into the box, as far as files and names go; its processes cannot see or reach ours. */
static void enter(pid_t init, int process) {
  char name[32];
  sprintf(name, "%d/ns/mnt", init);
  int mounts = openat(proc, name, O_RDONLY | O_CLOEXEC), rest = CLONE_NEWIPC | CLONE_NEWUTS;
  int users = mounts < 0 ? -1 : ioctl(mounts, NS_GET_USERNS);
  if (users < 0 || setns(users, CLONE_NEWUSER)) die("user namespace");
  if (setns(process, rest | CLONE_NEWNS | CLONE_NEWNET) && setns(process, rest | CLONE_NEWNS))
    die("mount namespace");
  close(mounts), close(users);
  rights(0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static int watch(pid_t init, int link) {
  int options = PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
                PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
  int process = syscall(SYS_pidfd_open, init, 0), number;
  sigset_t ends;
  Text line = {0};
  if (process < 0) die("pidfd_open");
  sigemptyset(&ends), sigaddset(&ends, SIGCHLD), sigprocmask(SIG_BLOCK, &ends, NULL);
  if (read(link, &number, sizeof number) != sizeof number) return 1;
  enter(init, process); /* not before: while bwrap still works, the old root lies over the new */
  listener = syscall(SYS_pidfd_getfd, process, number, 0);
  if (listener < 0) die("pidfd_getfd");
  if (ptrace(PTRACE_SEIZE, init, 0, options)) die("ptrace");
  ioctl(listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
  sayf(&line, "%d execve(\"shim\", []) = 0", init), tell(&line), free(line.data);
  struct pollfd sources[2] = {{listener, POLLIN, 0}, {signalfd(-1, &ends, SFD_NONBLOCK), POLLIN, 0}};
  struct signalfd_siginfo told;
  if (write(link, "", 1) != 1) die("link");
  for (int left = 1; left;) {
    if (poll(sources, 2, -1) < 0 && errno != EINTR) die("poll");
    pthread_mutex_lock(&telling);
    if (sources[1].revents) {
      while (read(sources[1].fd, &told, sizeof told) > 0) continue;
      left = changed();
    }
    if (sources[0].revents & POLLIN) asked();
    else if (sources[0].revents) sources[0].fd = -1;
    pthread_mutex_unlock(&telling);
  }
  flush();
  return 0;
}

static void learn(char *text) {
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
    struct call one;
    int number;
    if (sscanf(line, "%d %23s %11s %11s", &number, one.name, one.kind, one.shape) != 4 ||
        number >= NUMBERS)
      die("table");
    table[number] = one;
  }
}

/* A message: the pid of a box's first process, and the socket to it. */
static int receive(int control, pid_t *init) {
  char room[CMSG_SPACE(sizeof(int))];
  struct iovec data = {init, sizeof *init};
  struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = room};
  message.msg_controllen = sizeof room;
  int fd;
  if (recvmsg(control, &message, MSG_CMSG_CLOEXEC) != sizeof *init) _exit(0); /* the kit is gone */
  if (!CMSG_FIRSTHDR(&message)) die("message");
  memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof fd);
  return fd;
}

int main(int count, char **words) {
  if (count < 5) return 2;
  int control = atoi(words[1]), status;
  pid_t init;
  trace = atoi(words[2]);
  fcntl(control, F_SETFD, FD_CLOEXEC), fcntl(trace, F_SETFD, FD_CLOEXEC);
  learn(words[3]);
  if ((proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0) die("/proc");
  pid_t spawner = fork();
  if (!spawner) execv(words[4], words + 4), die(words[4]);
  for (;;) {
    int link = receive(control, &init);
    pid_t watcher = fork();
    if (!watcher) _exit(watch(init, link));
    close(link);
    while (waitpid(watcher, &status, 0) < 0)
      if (errno != EINTR) die("wait");
    if (write(control, &status, sizeof status) < 0) die("answer");
  }
}
