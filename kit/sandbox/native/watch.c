/* Sees what the programs of a box do, and does the deed where that can be raced.

   watch CONTROL TRACE TABLE COMMAND...: starts COMMAND, then for every message on CONTROL (the pid of
   a box's first process, and a socket to it) forks a watcher of that box, which writes records to
   TRACE; when no process of the box is left, how the watcher ended is the answer.

   A record is a line of fields with tabs between them: the process, the call, and what is known of
   it, each with a letter before it (see watcher.py). Without a result it is the beginning of a call,
   to which the record `end` brings one. All that a program chose is escaped.

   A call of TABLE stops before it begins, and its maker waits. What can be done for another process
   is done here, from our own copy of what the arguments point to: nothing is read a second time. A
   path that leads below /proc is walked here, for `self` means the caller there.
   What must be done by the process itself goes on in the kernel: its line is written before, as that
   of an attempt, and what came of it behind, once its maker stops at the end of the call. It runs
   without a signal of ours: the first time it asks, the call is sent back to its beginning, and the
   maker stops there.
   Forks, ends and signals come by ptrace. Nothing here waits for what a program holds. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/kcmp.h>
#include <linux/nsfs.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <sys/un.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS /* since Linux 6.6; its answer may be "no" */
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#endif
#ifndef SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP 1UL
#endif

enum { NUMBERS = 512, PATH = 4096, SHOWN = 4096, CHUNK = 512, HELD = 1 << 16, LISTED = 1 << 20 };
enum { HOPS = 40, TRIES = 3, STEPS = 64, PASSED = 253, DATAGRAM = 1 << 19, PARTS = 1024, CONTROL = 4096, PROC_ROOT = 1 };
enum { PAGE = 4096 };     /* behind its end there may be no memory */
enum { SPOT = 3 * PATH }; /* a folder, a name, and what comes behind it */
enum { UNNAMED = 020000000 }; /* of O_TMPFILE, without O_DIRECTORY */
#define OPENS 0x7fffc3ULL /* every flag that openat2 knows */
enum { NAMED = 256, VALUE = 1 << 16 }; /* of an extended attribute */
enum { BLOCKS = -2 };    /* an open that must wait */
enum { ITSELF = -1000 }; /* a message that only the process itself can send */
enum { AGAIN = -513 }; /* -ERESTARTNOINTR of the kernel: the call begins again, after any signal */
enum { CHECKED = 0x10000 }; /* AT_EXECVE_CHECK, since Linux 6.14 */
enum { BROKEN_OFF = -512, LAST_RESTART = -516 }; /* -ERESTARTSYS: the same, or EINTR where that is asked */

typedef struct seccomp_notif Ask;

/* A line of syscalls.py. How a call's arguments are shown: d a folder, p a path in it or in the working
   folder, s a text, o open's flags, h openat2's, n a descriptor, a an address and its length, M a
   message, V several, v a list of texts, x AT_ flags, r those of a rename, - nothing. */
static struct call {
  char name[24], shape[12], kind[12], reads[12], way[12];
} table[NUMBERS];

static int proc, descriptors; /* the host's /proc; there the folder of our descriptors */
static int listener, trace;   /* the filter's; the trace */
static int begun;             /* whether the first program of the box has begun */
static int doubt; /* whether the call that is looked at goes on, and nobody knows on what */
static int magic = 1; /* whether links to what a process has open may be followed */
static int fifos, proc_links; /* whether the program made such; then more care is taken */
static int credentials;       /* whether who gets a message may ask who sent it */
static int shared;            /* whether memory, descriptors or the working folder may be changed from
                                 outside a process */
static unsigned long changes; /* of names and links, until now */

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

/* Bytes of which none can be taken for the end of a field. */
static void escape(Text *text, const char *bytes, size_t size) {
  size_t from = 0;
  for (size_t i = 0; i < size; i++) {
    unsigned char c = bytes[i];
    if (c >= 32 && c < 127 && c != '\\') continue;
    add(text, bytes + from, i - from), sayf(text, "\\%03o", c), from = i + 1;
  }
  add(text, bytes + from, size - from);
}

static void field(Text *text, const char *letter, const char *bytes, size_t size) {
  say(text, "\t"), say(text, letter), escape(text, bytes, size);
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
    size_t step = PAGE - (at + done) % PAGE;
    if (step > most - done) step = most - done;
    if (peek(pid, at + done, to + done, step) != (ssize_t)step) return -1;
    char *end = memchr(to + done, 0, step);
    if (end) return end - to;
    done += step;
  }
  return most;
}

/* The kernel tells no path above PATH; the trace then says that it shows less than there was. */
static void cut(void) { say(&held, "0\tcut\n"); }

static ssize_t too_long(char *to) {
  cut();
  return sprintf(to, "/...");
}

static void place(char *to, pid_t pid, int fd) {
  if (fd == AT_FDCWD) sprintf(to, "%d/cwd", pid);
  else sprintf(to, "%d/fd/%d", pid, fd);
}

/* A file of the process, held by its name in /proc; that may be one that only itself could see. */
static int hold_named(const char *name) {
  int got = openat(proc, name, O_PATH | O_CLOEXEC);
  if (got < 0 && (errno == EACCES || errno == EPERM))
    rights(1), got = openat(proc, name, O_PATH | O_CLOEXEC), rights(0);
  return got;
}

/* The same of a descriptor or of the working folder. */
static int hold(pid_t pid, int fd) {
  char name[48];
  place(name, pid, fd);
  return hold_named(name);
}

/* Whether what /proc says of a file, that it is gone, is said of this one: another may be called so. */
static int is_gone(int fd, const char *told) {
  struct stat is, there;
  if (fstat(fd, &is) || !is.st_nlink) return 1;
  if (S_ISDIR(is.st_mode)) return 0;
  if (!fstatat(AT_FDCWD, told, &there, AT_SYMLINK_NOFOLLOW))
    return there.st_ino != is.st_ino || there.st_dev != is.st_dev;
  if (errno != ENOENT && errno != ENOTDIR) cut();
  return 1;
}

/* Where a descriptor of ours leads; "" where there is none. */
static void real_path(int fd, char to[PATH]) {
  static const char gone[] = " (deleted)";
  char name[16];
  sprintf(name, "%d", fd);
  ssize_t size = fd < 0 ? 0 : readlinkat(descriptors, name, to, PATH - 1), end = sizeof gone - 1;
  if (size < 0 && errno == ENAMETOOLONG) size = too_long(to);
  to[size > 0 ? size : 0] = 0;
  if (size > end && !strcmp(to + size - end, gone) && is_gone(fd, to)) to[size - end] = 0;
}

/* Where a descriptor or the working folder of the process leads; "" where there is none. */
static void leads(pid_t pid, int fd, char to[PATH]) {
  int held = hold(pid, fd);
  real_path(held, to);
  if (held >= 0) close(held);
}

static void show_file(Text *line, const char *letter, const char *path) {
  if (*path) field(line, letter, path, strlen(path));
}

/* A number that /proc tells of the process; the last of a line, which is that inside the box. */
static long status_of(pid_t pid, const char *field, int digits) {
  char name[32], status[2048];
  sprintf(name, "%d/status", pid);
  int fd = openat(proc, name, O_RDONLY | O_CLOEXEC);
  ssize_t size = fd < 0 ? 0 : read(fd, status, sizeof status - 1);
  if (fd >= 0) close(fd);
  status[size > 0 ? size : 0] = 0;
  char *found = strstr(status, field), *line = found ? strchr(found + 1, '\n') : NULL;
  if (!line) return 0;
  *line = 0;
  return strtol(strrchr(found, '\t') + 1, NULL, digits);
}

/* A descriptor of the process, shared with us. */
static int borrow(pid_t pid, int fd) {
  int process = syscall(SYS_pidfd_open, pid, O_EXCL); /* of a thread; since Linux 6.9 */
  if (process < 0) process = syscall(SYS_pidfd_open, (pid_t)status_of(pid, "\nTgid:", 10), 0);
  int got = process < 0 ? -1 : syscall(SYS_pidfd_getfd, process, fd, 0);
  if (got < 0 && process >= 0 && errno == EPERM)
    rights(1), got = syscall(SYS_pidfd_getfd, process, fd, 0), rights(0);
  if (process >= 0) close(process);
  return got;
}

/* Whether another can change what a call finds in memory or behind a descriptor: a thread, one that
   has the same memory, or one that has the same page. */
static int racy(pid_t pid, unsigned long at, size_t size) {
  char name[32];
  unsigned long page = 0;
  if (shared || status_of(pid, "\nThreads:", 10) != 1) return 1;
  pid_t parent = status_of(pid, "\nPPid:", 10);
  sprintf(name, "%d/pagemap", pid);
  rights(1);
  int ways = syscall(SYS_kcmp, pid, parent, KCMP_VM, 0, 0) <= 0 || /* the same, or unknown */
             syscall(SYS_kcmp, pid, parent, KCMP_FILES, 0, 0) <= 0;
  int fd = size ? openat(proc, name, O_RDONLY | O_CLOEXEC) : -1;
  rights(0);
  if (size > sizeof(struct sockaddr_storage)) size = sizeof(struct sockaddr_storage);
  for (unsigned long i = at / 4096; !ways && size && i <= (at + size - 1) / 4096; i++)
    ways = pread(fd, &page, 8, i * 8) != 8 || page >> 63 != 1 || (page >> 61 & 1); /* of a file */
  if (fd >= 0) close(fd);
  return ways;
}

/* Lines */

static void show_flags(Text *line, unsigned long flags) {
  unsigned long way = flags & O_ACCMODE;
  int writes = way == O_WRONLY || flags & (O_CREAT | O_TRUNC);
  say(line, way == O_RDWR ? "\tmrw" : writes ? "\tmw" : "\tmr");
  if (flags & O_NOFOLLOW) say(line, "\tfNOFOLLOW");
}

/* address:port, unix:path or family:name; nothing for what nobody could reach. `forgets`: with no
   family the call forgets an address, where others take it for one of the internet. */
static void show_address(Text *line, const unsigned char *bytes, size_t size, int forgets) {
  union {
    struct sockaddr any;
    struct sockaddr_in in;
    struct sockaddr_in6 in6;
    struct sockaddr_un un;
  } a = {0};
  char text[64];
  memcpy(&a, bytes, size < sizeof a ? size : sizeof a);
  unsigned family = a.any.sa_family;
  if (size < 2 || family == AF_NETLINK || (family == AF_UNSPEC && (forgets || size < 8))) return;
  if ((size >= sizeof a.in && family == AF_INET) || family == AF_UNSPEC) {
    inet_ntop(AF_INET, &a.in.sin_addr, text, sizeof text);
    sayf(line, "\ta%s:%d", text, ntohs(a.in.sin_port));
  } else if (size >= 24 && family == AF_INET6) {
    inet_ntop(AF_INET6, &a.in6.sin6_addr, text, sizeof text);
    sayf(line, "\ta[%s]:%d", text, ntohs(a.in6.sin6_port));
  } else if (size > 2 && family == AF_UNIX) {
    size_t most = size - 2 < sizeof a.un.sun_path ? size - 2 : sizeof a.un.sun_path;
    /* an abstract name may hold any byte, a path ends with 0 */
    if (*a.un.sun_path) field(line, "aunix:", a.un.sun_path, strnlen(a.un.sun_path, most));
    else field(line, "aunix:@", a.un.sun_path + 1, most - 1);
  } else {
    static const char *const names[] = {[AF_UNIX] = "UNIX", [AF_INET] = "INET",
                                        [AF_INET6] = "INET6"};
    if (family < sizeof names / sizeof *names && names[family])
      sayf(line, "\tafamily:%s", names[family]);
    else sayf(line, "\tafamily:%u", family);
  }
}

/* An address of the process, as much of it as the kernel would take; 0 where it names none. */
static size_t address_at(pid_t pid, unsigned long at, unsigned long size, void *to, size_t most) {
  if (size > most) size = most;
  return at && peek(pid, at, to, size) == (ssize_t)size ? size : 0;
}

/* One message: whether it names an address. */
static int show_message(Text *line, pid_t pid, unsigned long at) {
  struct msghdr message;
  struct sockaddr_storage address;
  if (peek(pid, at, &message, sizeof message) != sizeof message) return 0;
  size_t size = address_at(pid, (unsigned long)message.msg_name, message.msg_namelen, &address,
                           sizeof address);
  if (!size) return 0;
  show_address(line, (void *)&address, size, 0);
  return 1;
}

static void show_list(Text *line, pid_t pid, unsigned long at) {
  static char text[SHOWN];
  unsigned long one;
  for (int i = 0; peek(pid, at + 8 * i, &one, 8) == 8 && one; i++) {
    long size = 0;
    if (i < SHOWN && line->size <= LISTED && (size = text_at(pid, one, text, SHOWN)) >= 0)
      field(line, "w", text, size);
    if (i == SHOWN || line->size > LISTED || size == SHOWN) cut();
    if (i == SHOWN || line->size > LISTED) break;
  }
}

/* The texts of a call, read once: what is shown of them is what is done with them. */
static struct given {
  int count, file;     /* a descriptor of the process that we share, -1 for none */
  unsigned long flags; /* openat2's */
  struct path {
    long size; /* -1 for a fault, PATH where it is longer than a path may be */
    int named, fd, folder;
    int use; /* what is used: the text in `folder`, or what is left after a walk */
    const char *name;
    char text[PATH], base[PATH], last[NAME_MAX + 2];
    char left[PATH]; /* what comes behind a part that is not there */
  } path[2];
} given = {.file = -1};

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

/* Whether no link on the way of an absolute path can be a program's. */
static int settled(const char *path) {
  return (starts(path, "/usr/") || starts(path, "/lib")) && !has(path, "..");
}

static void forget(void) {
  for (struct path *path = given.path; path < given.path + given.count; path++) {
    if (path->use != path->folder) close(path->use);
    if (path->folder >= 0) close(path->folder);
  }
  given.count = 0;
}

/* Where the text of a path begins that the process gave with this folder. */
static void base_of(pid_t pid, struct path *path, int fd, int named) {
  *path->base = 0, path->folder = -1, path->named = named, path->fd = fd;
  path->name = path->text, *path->left = 0;
  path->text[path->size < 0 ? 0 : path->size < PATH ? path->size : PATH - 1] = 0;
  if (path->size <= 0 || *path->text != '/') {
    if ((path->folder = hold(pid, fd)) >= 0) real_path(path->folder, path->base);
  } else if (own(path)) {
    leads(pid, path->fd = AT_FDCWD, path->base);
  } else {
    path->fd = AT_FDCWD; /* where it begins matters not */
  }
  path->use = path->folder;
}

/* The file that the address of a UNIX socket names, if any, becomes the path of the call. */
static int file_of(pid_t pid, const struct sockaddr_storage *at, size_t size) {
  const struct sockaddr_un *to = (const void *)at;
  struct path *path = given.path;
  size_t named = offsetof(struct sockaddr_un, sun_path);
  if (size <= named || size > sizeof *to || to->sun_family != AF_UNIX || !*to->sun_path) return 0;
  forget();
  path->size = strnlen(to->sun_path, size - named);
  memcpy(path->text, to->sun_path, path->size);
  base_of(pid, path, AT_FDCWD, 0), given.count = 1;
  return 1;
}

static void gather(const Ask *ask, const struct call *call) {
  struct sockaddr_storage to = {0};
  int fd = AT_FDCWD, named = 0, at = 0;
  if (ask->data.nr == SYS_bind)
    file_of(ask->pid, &to, address_at(ask->pid, ask->data.args[1], (unsigned)ask->data.args[2], &to,
                                      sizeof to));
  for (const char *shape = call->shape; *shape; shape++, at++) {
    struct path *path = &given.path[given.count];
    if (*shape == 'd') fd = (int)ask->data.args[at], named = 1;
    if (*shape == 'h' && peek(ask->pid, ask->data.args[at], &given.flags, 8) != 8) given.flags = 0;
    if (*shape != 'p' && *shape != 's') continue;
    path->size = text_at(ask->pid, ask->data.args[at], path->text, PATH);
    base_of(ask->pid, path, fd, named);
    if (*shape == 's') proc_links |= has(path->text, "proc") || has(path->text, "dev");
    given.count++, fd = AT_FDCWD, named = 0;
  }
}

/* A path as the process means it, dots and all, and the working folder where that is known. */
static void show_path(Text *line, const struct path *path) {
  size_t base = strlen(path->base);
  int whole = path->size >= 0 && *path->text == '/';
  if (path->fd == AT_FDCWD && (path->named || path->size >= 0)) show_file(line, "c", path->base);
  if (path->size < 0 && (!path->named || !base)) return;
  say(line, "\tp");
  if (!whole && base && *path->base != '/') return; /* below a socket or a pipe: no path at all */
  if (!whole && !base && !*path->text) say(line, ".");
  if (!whole) escape(line, path->base, base);
  if (!whole && base && path->size >= 0) say(line, "/");
  if (path->size >= 0) escape(line, path->text, strlen(path->text));
}

/* The call as far as it is known before it begins; whether anyone wants to know of it. */
static int show(Text *line, const Ask *ask, const struct call *call) {
  static char where[PATH];
  struct sockaddr_storage address;
  int wanted = 1, at = 0, texts = 0;
  sayf(line, "%d\t%s", ask->pid, call->name);
  for (const char *shape = call->shape; *shape; shape++, at++) {
    unsigned long value = ask->data.args[at];
    struct path *path = &given.path[texts];
    if (*shape == 'p') show_path(line, path);
    else if (*shape == 's') field(line, "s", path->text, strlen(path->text));
    else if (*shape == 'n') {
      if (given.file >= 0) real_path(given.file, where);
      else leads(ask->pid, (int)value, where);
      show_file(line, "n", where);
    } else if (*shape == 'o') show_flags(line, value);
    else if (*shape == 'c') show_flags(line, O_CREAT | O_WRONLY | O_TRUNC);
    else if (*shape == 'h') show_flags(line, given.flags);
    else if (*shape == 'x') {
      if (value & AT_SYMLINK_NOFOLLOW) say(line, "\tfNOFOLLOW");
      if (value & CHECKED && !strcmp(call->kind, "exec")) wanted = 0; /* it starts nothing */
    } else if (*shape == 'r') {
      if (value & RENAME_EXCHANGE) say(line, "\tfEXCHANGE");
    } else if (*shape == 'v') show_list(line, ask->pid, value);
    else if (*shape == 'a') {
      size_t size = address_at(ask->pid, value, ask->data.args[at + 1], &address, sizeof address);
      wanted = size > 0;
      if (size) show_address(line, (void *)&address, size, ask->data.nr == SYS_connect);
    } else if (*shape == 'M') wanted = show_message(line, ask->pid, value);
    else if (*shape == 'V') {
      wanted = 0;
      unsigned long count = ask->data.args[at + 1] < SHOWN ? ask->data.args[at + 1] : SHOWN;
      for (unsigned long i = 0; i < count; i++)
        wanted |= show_message(line, ask->pid, value + i * sizeof(struct mmsghdr));
    } else if (*shape == 'm') fifos |= S_ISFIFO(value);
    texts += *shape == 'p' || *shape == 's';
  }
  return wanted;
}

static void show_result(Text *line, long value) {
  const char *name = value < 0 ? strerrorname_np(-value) : NULL;
  if (value < 0) say(line, "\t!"), say(line, name ? name : "EPERM");
  else sayf(line, "\t=%ld", value);
}

/* Answers */

/* Whether a call still waits: if not, what was read may be the memory of another process. */
static int waits(const Ask *ask) {
  return !ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &ask->id);
}

/* Calls that go on in the kernel, one for a process at most, until their makers stop at their end:
   asked to stop, at its stop, at the beginning of the call; told; broken off before it was told;
   over, but for a signal that its maker did not want. And the last of a maker that went on untold,
   and one that was done here, but a signal took its maker away before the answer. */
static struct going {
  struct going *next;
  Ask ask;
  enum { ASKED, ENTERS, ENTERED, TOLD, BROKEN, PIPED, GONE_ON, LATE } state;
  long value; /* of one that is late */
  int tries, opens, dials, quiet, fd; /* fd: what we hold of it, -1 for nothing */
  int doubt, known;            /* whether it can be another's; whether its socket had a name before */
  ino_t socket;
  unsigned long instead[6]; /* the call that it makes for the one that it asked for */
  struct user_regs_struct registers;
  socklen_t size;
  struct sockaddr_storage to;
  Text line;       /* as it was told last */
  char path[PATH]; /* of a program to be started, of a socket that may come to lie elsewhere */
  struct stat file; /* what was there, */
  unsigned long before; /* after so many changes */
} *going;

static struct going *find(pid_t pid) {
  struct going *one = going;
  while (one && (pid_t)one->ask.pid != pid) one = one->next;
  return one;
}

static void drop(pid_t pid) {
  for (struct going **at = &going, *one; (one = *at); at = &one->next)
    if ((pid_t)one->ask.pid == pid) {
      *at = one->next;
      if (one->fd >= 0) close(one->fd);
      free(one->line.data), free(one);
      return;
    }
}

static struct going *begin(const Ask *ask) {
  struct going *one = find(ask->pid);
  if (!one) {
    if (!(one = calloc(1, sizeof *one))) die("memory");
    one->next = going, one->fd = -1, going = one;
  }
  one->ask = *ask;
  return one;
}

/* Whether the answer was given: not to a maker that is dead, or that a signal took away. What was done
   for that one is what its call returns, once it stops for the signal. */
static int answer(const Ask *ask, long value, int go_on) {
  struct seccomp_notif_resp said = {.id = ask->id};
  if (go_on) said.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  else if (value < 0) said.error = value;
  else said.val = value;
  if (!ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &said)) return 1;
  if (errno != ENOENT) die("answer");
  if (!go_on && value != AGAIN) {
    struct going *one = begin(ask);
    one->state = LATE, one->value = value;
  }
  return 0;
}

/* A signal came before anything was done; the call is to be asked about again. */
static void missed(const Ask *ask) {
  struct going *one = find(ask->pid);
  if (!one) one = begin(ask), one->state = BROKEN;
  one->tries++;
}

/* Let a call go on of which nothing is told. */
static void pass(const Ask *ask) {
  drop(ask->pid);
  if (answer(ask, 0, 1)) begin(ask)->state = GONE_ON;
}

/* Tell that a call begins, once where it is the same as before. */
static struct going *attempt(const Ask *ask, Text *line) {
  struct going *one = begin(ask);
  if (one->line.size == line->size && !memcmp(one->line.data, line->data, line->size)) return one;
  one->line.size = 0, add(&one->line, line->data, line->size);
  tell(line);
  return one;
}

/* Send a call back to its beginning, where its maker stops; whether that comes about. */
static int step(struct going *one, int fd) {
  if (one->tries > STEPS || ptrace(PTRACE_INTERRUPT, one->ask.pid, 0, 0)) return 0;
  if (one->fd >= 0) close(one->fd);
  one->fd = fd, one->state = ASKED, one->dials = one->quiet = one->socket = 0;
  one->instead[0] = 0;
  return 1;
}

/* Deeds done here */

/* What was opened for a call whose maker a signal took away: it is handed over when the call is made
   again, and told where that never comes. One for a process. */
static struct kept {
  struct kept *next;
  pid_t pid;
  int fd;
  long flags;
  Text line;
} *kept;

static void keep(pid_t pid, int fd, long flags, const Text *line) {
  struct kept *one = calloc(1, sizeof *one);
  if (!one) die("memory");
  *one = (struct kept){kept, pid, fcntl(fd, F_DUPFD_CLOEXEC, 0), flags, {0}};
  add(&one->line, line->data, line->size), kept = one;
}

/* The descriptor that was kept for this call, -1 where there is none. */
static int fetch(pid_t pid, long flags, const Text *line) {
  for (struct kept **at = &kept, *one; (one = *at); at = &one->next)
    if (one->pid == pid && (!line || (one->flags == flags && one->line.size == line->size &&
                                      !memcmp(one->line.data, line->data, line->size)))) {
      int fd = one->fd;
      *at = one->next;
      if (!line) tell(&one->line), close(fd);
      free(one->line.data), free(one);
      return fd;
    }
  return -1;
}

/* Hand a descriptor over as what the call returns; that, or a negative errno. */
static long hand_over(const Ask *ask, int fd, long flags) {
  struct seccomp_notif_addfd given = {.id = ask->id, .srcfd = fd};
  given.flags = SECCOMP_ADDFD_FLAG_SEND, given.newfd_flags = flags & O_CLOEXEC;
  long value = ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &given);
  if (value >= 0) return value;
  value = -errno;
  if (errno != ENOENT && errno != ESRCH) answer(ask, value, 0);
  return value;
}

/* What stands against a path before it is used: a negative errno, 0 for nothing. */
static long refused(const struct path *path) {
  if (path->size < 0) return -EFAULT;
  if (path->size == PATH) return -ENAMETOOLONG;
  return path->folder < 0 && *path->text != '/' ? -EBADF : 0;
}

static int below_proc(int fd) {
  struct statfs system;
  return !fstatfs(fd, &system) && system.f_type == PROC_SUPER_MAGIC;
}

/* What no program may have: memory through a file, and the file that tells when its own was read. */
static int private(int fd) {
  static char real[PATH];
  if (!below_proc(fd)) return 0;
  real_path(fd, real);
  char *name = strrchr(real, '/');
  return !name || !strcmp(name, "/pagemap") || !strcmp(name, "/mem");
}

/* As openat, and of the caller's own process also what only itself may see. */
static int see(int at, const char *name, int flags, int mine) {
  int fd = openat(at, name, flags | O_PATH | O_CLOEXEC);
  if (fd < 0 && mine && (errno == EACCES || errno == EPERM))
    rights(1), fd = openat(at, name, flags | O_PATH | O_CLOEXEC), rights(0);
  return fd;
}

/* The way of a path, link by link: from then on `use` and `name` stand for its last part, which
   is no link where links are to be followed, unless to what another process has open.
   A negative errno, 0 for success, 1 where a part of it was the caller's own process. */
static long walk(const Ask *ask, struct path *path, int follow) {
  static char todo[2 * PATH + 2], link[PATH];
  long self = status_of(ask->pid, "\nNStgid:", 10), thread = status_of(ask->pid, "\nNSpid:", 10);
  char *last = path->last, *rest = todo;
  int at = *path->text == '/' ? see(AT_FDCWD, "/", 0, 0) : fcntl(path->folder, F_DUPFD_CLOEXEC, 0);
  int mine = 0, hops = 0, next = -1;
  long value = at < 0 ? -errno : *path->text ? 0 : -ENOENT;
  struct stat is;
  strcpy(todo, path->text), strcpy(last, ".");
  while (!value) {
    char *part = rest + strspn(rest, "/");
    size_t size = strcspn(part, "/");
    if (!size) break;
    if (size > NAME_MAX) {
      value = -ENAMETOOLONG;
      break;
    }
    memcpy(last, part, size), last[size] = 0;
    rest = part + size;
    int end = !rest[strspn(rest, "/")], whole = end && !*rest;
    int proc = below_proc(at), root = proc && !fstat(at, &is) && is.st_ino == PROC_ROOT;
    if (whole && !follow) break;
    if (root && !strcmp(last, "self")) sprintf(last, "%ld", self);
    else if (root && !strcmp(last, "thread-self")) {
      sprintf(link, "%ld/task/%ld%.*s", self, thread, PATH - 64, rest);
      rest = strcpy(todo, link);
      continue;
    }
    mine |= root && strtol(last, NULL, 10) == self;
    if ((next = see(at, last, O_NOFOLLOW, mine)) < 0) {
      if (errno == ENOENT && end) strcat(last, *rest ? "/" : "");
      else value = -errno;
      break;
    }
    int known = !fstat(next, &is);
    if (known && S_ISLNK(is.st_mode) && (!proc || root)) {
      ssize_t length = readlinkat(next, "", link, PATH - 1);
      close(next);
      if (length < 0) value = -errno;
      else if (++hops > HOPS || length + strlen(rest) >= PATH) value = -ELOOP;
      if (value) break;
      memmove(todo + length, rest, strlen(rest) + 1), memcpy(todo, link, length);
      rest = todo;
      if (*todo == '/') close(at), at = see(AT_FDCWD, "/", 0, 0), mine = 0;
      strcpy(last, ".");
    } else if (known && S_ISLNK(is.st_mode) && whole) {
      close(next);
      if (!magic) value = -ELOOP;
      break;
    } else if (end && !S_ISLNK(is.st_mode)) {
      close(next), strcat(last, *rest ? "/" : "");
      break;
    } else {
      if (S_ISLNK(is.st_mode)) {
        close(next);
        if (!magic) value = -ELOOP;
        else if ((next = see(at, last, 0, mine)) < 0) value = -errno;
        if (value) break;
      }
      close(at), at = next, strcpy(last, ".");
    }
  }
  if (path->use != path->folder) close(path->use);
  path->use = at, path->name = last;
  snprintf(path->left, PATH, "%s", value < 0 ? rest : "");
  return value ? value : mine;
}

/* What stands against it, and where it leads below /proc its last part. */
static long ready(const Ask *ask, struct path *path, int follow, int walks) {
  long value = refused(path);
  return value || !walks || !*path->text ? value : walk(ask, path, follow);
}

/* Where a path lies, or where it leads if links are `followed`: told by what we hold, for no link and
   no name changes but by us, and what is told is what is done. Held is then what it leads to, else
   -1. A path that ends in nothing is walked link by link, as one that begins at the caller. */
static int locate(const Ask *ask, const struct path *path, int followed, char to[SPOT]) {
  static struct path way;
  static char parent[PATH];
  int plain = path->use == path->folder && !own(path), fd = -1;
  *to = 0;
  if (refused(path)) return -1;
  if (!*path->text) return strcpy(to, path->base), -1;
  if (plain && followed && (fd = openat(path->use, path->text, O_PATH | O_CLOEXEC)) >= 0)
    return real_path(fd, to), fd;
  if (plain && !followed) {
    size_t end = strlen(path->text), from;
    while (end && path->text[end - 1] == '/') end--;
    for (from = end; from && path->text[from - 1] != '/';) from--;
    memcpy(parent, path->text, from), parent[from] = 0;
    if (!from) strcpy(to, *path->text == '/' ? "/" : path->base);
    else if ((fd = openat(path->use, parent, O_PATH | O_DIRECTORY | O_CLOEXEC)) >= 0)
      real_path(fd, to), close(fd);
    if (*to) return sprintf(to + strlen(to), "/%.*s", (int)(end - from), path->text + from), -1;
  }
  if (path->use == path->folder) way = *path, walk(ask, &way, followed), path = &way;
  fd = followed && !*path->left ? see(path->use, path->name, 0, 1) : -1;
  real_path(fd >= 0 ? fd : path->use, to);
  if (fd < 0 && *to) sprintf(to + strlen(to), "/%s%s", path->name, path->left);
  if (path == &way && way.use != way.folder) close(way.use);
  return fd;
}

/* A file of several names is told by its number too. */
static void show_number(Text *line, const struct stat *is) {
  if (!S_ISDIR(is->st_mode) && is->st_nlink > 1)
    sayf(line, "\ti%lx:%lx", (long)is->st_dev, (long)is->st_ino);
}

static int open_at(const struct path *path, const struct open_how *how, int extended) {
  if (extended) return syscall(SYS_openat2, path->use, path->name, how, sizeof *how);
  return openat(path->use, path->name, (int)how->flags, (mode_t)how->mode);
}

/* The same where a FIFO may lie, whose open waits for another: what lies there is held first, and
   then opened itself. BLOCKS for a FIFO, and where it was exchanged too often to be sure. */
static int open_held(const struct path *path, const struct open_how *how, int extended,
                     int exact) {
  struct open_how look = {.flags = O_PATH | O_CLOEXEC, .resolve = how->resolve}, make = *how;
  struct stat is;
  char name[32];
  look.flags |= how->flags & (O_NOFOLLOW | O_DIRECTORY), make.flags |= O_EXCL;
  if (exact) look.flags |= O_NOFOLLOW;
  if ((how->flags & UNNAMED) || (how->flags & O_CREAT && how->flags & (O_EXCL | O_DIRECTORY)))
    return open_at(path, how, extended); /* makes a new file */
  for (int tries = 0; tries < TRIES; tries++) {
    int held = open_at(path, &look, extended), fd = -1;
    if (held < 0 && !(how->flags & O_CREAT)) return -1;
    if (held < 0 && ((fd = open_at(path, &make, extended)) >= 0 || errno != EEXIST)) return fd;
    if (held < 0) continue;
    int known = !fstat(held, &is);
    sprintf(name, "self/fd/%d", held);
    if (known && S_ISFIFO(is.st_mode) && (how->flags & O_ACCMODE) != O_RDWR &&
        !(how->flags & O_NONBLOCK))
      fd = BLOCKS;
    else if (known && S_ISLNK(is.st_mode)) errno = ELOOP;
    else if (known && S_ISDIR(is.st_mode) && how->flags & O_CREAT) errno = EISDIR;
    else fd = openat(proc, name, (int)how->flags & ~(O_CREAT | O_NOFOLLOW));
    int error = errno;
    close(held), errno = error;
    return fd;
  }
  return BLOCKS;
}

/* open, openat, openat2, creat: 0 where the kernel must do it. */
static int opened(const Ask *ask, const struct call *call) {
  static Text line;
  static char real[SPOT];
  struct stat is;
  struct path *path = &given.path[0];
  const __u64 *rest = &ask->data.args[(*call->shape == 'd') + 1];
  struct open_how how = {0};
  int made = strchr(call->shape, 'c') != NULL, extended = strchr(call->shape, 'h') != NULL, fd = -1;
  long value = 0;
  static char tail[PATH];
  unsigned long known = sizeof how, all = extended ? rest[1] : 0;
  if (!extended) {
    how.flags = made ? O_CREAT | O_WRONLY | O_TRUNC : (int)rest[0];
    if (how.flags & (O_CREAT | UNNAMED)) how.mode = rest[!made] & 07777;
  } else if (all < known || all > PATH) {
    value = all < known ? -EINVAL : -E2BIG;
  } else if (peek(ask->pid, rest[0], &how, known) != (ssize_t)known ||
             peek(ask->pid, rest[0] + known, tail, all - known) != (ssize_t)(all - known)) {
    value = -EFAULT;
  } else {
    for (unsigned long i = 0; i < all - known; i++) value = tail[i] ? -E2BIG : value;
    if (how.flags & ~OPENS || how.mode & ~07777ULL ||
        (how.mode && !(how.flags & (O_CREAT | UNNAMED))))
      value = -EINVAL;
  }
  long flags = given.flags = how.flags;
  if (extended && !waits(ask)) return missed(ask), 1;
  if (own(path)) magic = !(how.resolve & RESOLVE_NO_MAGICLINKS);
  if (own(path) && !(how.resolve & ~(RESOLVE_NO_MAGICLINKS | RESOLVE_CACHED))) how.resolve = 0;
  int walks = !how.resolve && (own(path) || fifos);
  int holds = (walks && !(flags & O_NOFOLLOW)) || (fifos && !(flags & O_NONBLOCK));
  if (flags & O_PATH) return 0; /* nobody can hand over such a descriptor */
  if (how.resolve && path->folder < 0)
    path->use = path->folder = hold(ask->pid, (int)ask->data.args[0]);
  int exact = flags & O_NOFOLLOW || (flags & O_CREAT && flags & O_EXCL);
  line.size = 0, show(&line, ask, call);
  fd = fetch(ask->pid, flags, &line);
  for (int tries = 0; tries < TRIES && fd < 0 && value >= 0; tries++) {
    value = ready(ask, path, !exact, walks);
    if (value < 0) break;
    int here = walks && !below_proc(path->use); /* no link is left to be followed */
    how.flags = flags | O_CLOEXEC | O_NOCTTY;
    if (flags & (O_CREAT | UNNAMED)) umask(status_of(ask->pid, "\nUmask:", 8));
    int mine = value > 0;
    if (mine) rights(1);
    fd = holds ? open_held(path, &how, extended, here) : open_at(path, &how, extended);
    value = fd < 0 ? -errno : 0;
    if (mine) rights(0);
    if ((doubt = fd == BLOCKS)) return 0;
    if (value != -ELOOP || !walks || flags & O_NOFOLLOW) break;
    if (tries + 1 < TRIES) value = 0; /* a link took its place: the way is another */
  }
  if (fd >= 0 && walks && private(fd))
    close(fd), fd = -1, value = -EACCES;
  drop(ask->pid);
  if (fd >= 0) value = hand_over(ask, fd, flags);
  else answer(ask, value, 0);
  *real = 0;
  int late = fd >= 0 && (value == -ENOENT || value == -ESRCH);
  if (late) fetch(ask->pid, 0, NULL), keep(ask->pid, fd, flags, &line);
  if (fd >= 0) {
    real_path(fd, real), changes += (flags & O_CREAT) != 0;
    if (!settled(real) && !fstat(fd, &is)) show_number(&line, &is);
    close(fd);
  } else if (!how.resolve && !settled(path->text)) {
    close(locate(ask, path, !exact, real));
  }
  if (!late) show_file(&line, ">", real), show_result(&line, value), tell(&line);
  return 1;
}

/* The times of a call that sets a file's, as utimensat takes them; NULL for now. */
static long times_at(const Ask *ask, const struct timespec **to) {
  static struct timespec times[2];
  long number = ask->data.nr, words[4] = {0}, parts = number == SYS_utime ? 1 : 2;
  unsigned long at = ask->data.args[number == SYS_utime || number == SYS_utimes ? 1 : 2];
  ssize_t size = 2 * parts * sizeof *words;
  *to = NULL;
  if (!at) return 0;
  if (peek(ask->pid, at, words, size) != size) return -EFAULT;
  for (int i = 0; i < 2; i++) {
    long rest = parts == 2 ? words[2 * i + 1] : 0;
    if (number != SYS_utimensat && (rest < 0 || rest > 999999)) return -EINVAL;
    times[i].tv_sec = words[parts * i];
    times[i].tv_nsec = number == SYS_utimensat ? rest : rest * 1000;
  }
  *to = times;
  return 0;
}

/* An extended attribute: its name and, where it is set, its value. */
static long attribute_at(const Ask *ask, int sets, char name[NAMED], char value[VALUE]) {
  const __u64 *args = ask->data.args;
  long size = text_at(ask->pid, args[1], name, NAMED);
  if (size < 0) return -EFAULT;
  if (!size || size == NAMED) return -ERANGE;
  if (sets && args[3] > VALUE) return -E2BIG;
  if (!sets || !args[3]) return 0;
  return peek(ask->pid, args[2], value, args[3]) == (ssize_t)args[3] ? 0 : -EFAULT;
}

/* Deletes, renames, new files, folders and links, rights, owners, lengths, times and attributes:
   0 where the kernel must do it. */
static int done(const Ask *ask, const struct call *call) {
  static Text line;
  static char real[2][SPOT], attribute[NAMED], content[VALUE];
  char pinned[32];
  struct stat is = {0};
  const struct timespec *times = NULL;
  struct rlimit most = {0};
  const __u64 *args = ask->data.args;
  struct path *one = &given.path[0], *two = &given.path[1];
  long value = 0, number = ask->data.nr, mine = 0;
  if (number == SYS_truncate && (prlimit(ask->pid, RLIMIT_FSIZE, NULL, &most) ||
                                 args[1] > most.rlim_cur)) return !(doubt = 1); /* a signal comes */
  const char *flags = strchr(call->shape, 'x'); /* links are followed by some, and asked about */
  int follow = !strcmp(call->reads, "leads");
  if (flags && number == SYS_linkat) follow = (args[4] & AT_SYMLINK_FOLLOW) != 0;
  else if (flags) follow = !(args[flags - call->shape] & AT_SYMLINK_NOFOLLOW);
  int file = *call->shape == 'n' || (number == SYS_utimensat && !args[1] && (int)args[0] >= 0);
  int goes = file ? given.file = borrow(ask->pid, args[0]) : -1, held = -1;
  if (file && goes < 0) value = -EBADF;
  else if (file && given.count) real_path(goes, one->base);
  for (int i = 0; i < given.count && value >= 0 && !file; i++) {
    int text = call->shape[0] == 's' && !i;
    value = text ? one->size < 0 ? -EFAULT : one->size == PATH ? -ENAMETOOLONG : 0
                 : ready(ask, &given.path[i], follow && !i, own(&given.path[i]));
    if (value > 0) mine = 1;
  }
  int a = one->use, b = two->use, failed = -1, symbolic = *call->shape == 's';
  const char *p = one->name, *q = two->name;
  for (int i = symbolic; i < given.count && !file; i++) {
    int to = locate(ask, &given.path[i], follow && !i, real[i]);
    if (to >= 0) held = to, a = proc, sprintf(pinned, "self/fd/%d", to), p = pinned;
  }
  int known = file ? fstat(goes, &is)
                   : fstatat(a, p, &is, follow || !*p ? AT_EMPTY_PATH : AT_SYMLINK_NOFOLLOW);
  if (value >= 0 && strstr(call->name, "time")) value = times_at(ask, &times);
  if (value >= 0 && strstr(call->name, "xattr"))
    value = attribute_at(ask, strstr(call->name, "set") != NULL, attribute, content);
  int folder = number == SYS_truncate || (strstr(call->name, "xattr") && !file);
  if (value >= 0 && folder && a >= 0 && fchdir(a)) value = -errno;
  if (!waits(ask)) return missed(ask), 1;
  if (number == SYS_mkdir || number == SYS_mkdirat || number == SYS_mknod || number == SYS_mknodat)
    umask(status_of(ask->pid, "\nUmask:", 8));
  if (value < 0) number = -1;
  if (mine) rights(1);
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
  case SYS_mknod: failed = syscall(SYS_mknodat, a, p, (mode_t)args[1], (unsigned)args[2]); break;
  case SYS_mknodat: failed = syscall(SYS_mknodat, a, p, (mode_t)args[2], (unsigned)args[3]); break;
  case SYS_symlink:
  case SYS_symlinkat: failed = symlinkat(p, b, q); break;
  case SYS_link: failed = linkat(a, p, b, q, 0); break;
  case SYS_linkat: failed = linkat(a, p, b, q, args[4]); break;
  case SYS_chmod: failed = syscall(SYS_fchmodat, a, p, args[1]); break;
  case SYS_fchmodat: failed = syscall(SYS_fchmodat, a, p, args[2]); break;
  case SYS_chown: failed = fchownat(a, p, args[1], args[2], 0); break;
  case SYS_lchown: failed = fchownat(a, p, args[1], args[2], AT_SYMLINK_NOFOLLOW); break;
  case SYS_fchownat: failed = fchownat(a, p, args[2], args[3], args[4]); break;
  case SYS_truncate: failed = truncate(p, args[1]); break;
  case SYS_utime:
  case SYS_utimes:
  case SYS_futimesat: failed = syscall(SYS_utimensat, a, p, times, 0); break;
  case SYS_utimensat:
    failed = file ? syscall(SYS_utimensat, goes, NULL, times, args[3])
                  : syscall(SYS_utimensat, a, p, times, args[3]);
    break;
  case SYS_setxattr: failed = setxattr(p, attribute, content, args[3], args[4]); break;
  case SYS_lsetxattr: failed = lsetxattr(p, attribute, content, args[3], args[4]); break;
  case SYS_removexattr: failed = removexattr(p, attribute); break;
  case SYS_lremovexattr: failed = lremovexattr(p, attribute); break;
  case SYS_fsetxattr: failed = fsetxattr(goes, attribute, content, args[3], args[4]); break;
  case SYS_fremovexattr: failed = fremovexattr(goes, attribute); break;
  case SYS_fchmod: failed = fchmod(goes, args[1]); break;
  case SYS_fchown: failed = fchown(goes, args[1], args[2]); break;
  default: errno = ENOSYS; /* the table names a call that stands in no line above */
  }
  value = failed ? -errno : 0;
  if (mine) rights(0);
  if (folder && chdir("/")) die("chdir");
  if (held >= 0) close(held);
  show(&line, ask, call), changes++;
  for (int i = symbolic; i < given.count && !file; i++) field(&line, ">", real[i], strlen(real[i]));
  is.st_nlink += !strcmp(call->reads, "made");
  if (!known && !symbolic && strcmp(call->kind, "delete")) show_number(&line, &is);
  show_result(&line, value), tell(&line);
  drop(ask->pid), answer(ask, value, 0);
  return 1;
}

/* Sockets */

/* What a connect comes to at once; of one that must wait, that it does. */
static long connected(const struct going *one) {
  struct timeval was, least = {0, 1};
  socklen_t size = sizeof was;
  int waits = !(fcntl(one->fd, F_GETFL) & O_NONBLOCK);
  if (waits && getsockopt(one->fd, SOL_SOCKET, SO_SNDTIMEO, &was, &size)) return -errno;
  if (waits) setsockopt(one->fd, SOL_SOCKET, SO_SNDTIMEO, &least, sizeof least);
  long value = connect(one->fd, (void *)&one->to, one->size) ? -errno : 0;
  if (waits) setsockopt(one->fd, SOL_SOCKET, SO_SNDTIMEO, &was, sizeof was);
  return value;
}

static int names(int number) {
  return number == SYS_connect || number == SYS_bind || number == SYS_listen;
}

/* The address of a UNIX socket's file, as it is from here: that of what we hold of it. */
static long reached(const Ask *ask, int fd, struct sockaddr_storage *at, socklen_t *size,
                    int *held) {
  struct sockaddr_un *to = (void *)at;
  struct path *path = given.path;
  int type = 0;
  socklen_t word = sizeof type;
  if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &word) || type != SOCK_DGRAM) return 0;
  if (!file_of(ask->pid, at, *size)) return 0;
  long value = ready(ask, path, 1, own(path));
  if (value < 0) return value;
  if ((*held = see(path->use, path->name, 0, value > 0)) < 0 || fchdir(proc)) return -errno;
  sprintf(to->sun_path, "self/fd/%d", *held), *size = sizeof *to;
  return 0;
}

/* What a message passes besides its data: descriptors become ours; who its sender is, cannot. */
static long passed(pid_t pid, struct msghdr *message, int fds[PASSED], int *count) {
  char *end = (char *)message->msg_control + message->msg_controllen;
  struct cmsghdr *part = message->msg_control ? CMSG_FIRSTHDR(message) : NULL;
  for (; part; part = CMSG_NXTHDR(message, part)) {
    if (part->cmsg_len < CMSG_LEN(0) || part->cmsg_len > (size_t)(end - (char *)part))
      return -EINVAL;
    int *words = (int *)CMSG_DATA(part), most = (part->cmsg_len - CMSG_LEN(0)) / sizeof *words;
    if (part->cmsg_level != SOL_SOCKET) continue;
    if (part->cmsg_type == SCM_CREDENTIALS) return ITSELF;
    for (int i = 0; part->cmsg_type == SCM_RIGHTS && i < most; i++) {
      if (*count == PASSED) return -EINVAL;
      if ((words[i] = fds[*count] = borrow(pid, words[i])) < 0) return -EBADF;
      ++*count;
    }
  }
  return 0;
}

/* One message, sent from our copy, which is shown if it names an address; `all` is its data where
   the call itself says where that lies. */
static long sent(const Ask *ask, int fd, struct msghdr *message, const struct iovec *all, int flags,
                 Text *line) {
  static struct iovec parts[PARTS];
  static char data[DATAGRAM], control[CONTROL] __attribute__((aligned(8)));
  static struct sockaddr_storage to;
  size_t room = 0, size = message->msg_iovlen * sizeof *parts;
  pid_t pid = ask->pid;
  int named = message->msg_namelen, fds[PASSED], count = 0, held = -1;
  if (named < 0) return -EINVAL;
  message->msg_namelen = address_at(pid, (unsigned long)message->msg_name,
                                    named, &to, sizeof to);
  if (message->msg_name && message->msg_namelen) {
    show_address(line, (void *)&to, message->msg_namelen, 0);
  }
  if (message->msg_name && named && !message->msg_namelen) return -EFAULT;
  message->msg_name = message->msg_namelen ? &to : NULL;
  if (message->msg_iovlen > PARTS) return -EMSGSIZE;
  if (message->msg_controllen > CONTROL) return -ENOBUFS;
  if (all) parts[0] = *all;
  else if (size && peek(pid, (unsigned long)message->msg_iov, parts, size) != (ssize_t)size)
    return -EFAULT;
  for (size_t i = 0; i < message->msg_iovlen; room += parts[i++].iov_len) {
    size_t length = parts[i].iov_len;
    if (length > DATAGRAM - room) return -EMSGSIZE;
    unsigned long at = (unsigned long)parts[i].iov_base;
    if (length && peek(pid, at, data + room, length) != (ssize_t)length) return -EFAULT;
  }
  size = message->msg_controllen;
  if (size && peek(pid, (unsigned long)message->msg_control, control, size) != (ssize_t)size)
    return -EFAULT;
  struct iovec whole = {data, room};
  message->msg_iov = &whole, message->msg_iovlen = 1, message->msg_control = size ? control : NULL;
  long value = passed(pid, message, fds, &count);
  if (!value && message->msg_name) value = reached(ask, fd, &to, &message->msg_namelen, &held);
  if (!value && !waits(ask)) value = -EINTR;
  flags |= MSG_DONTWAIT | MSG_NOSIGNAL;
  if (!value && (value = all ? sendto(fd, data, room, flags, (void *)&to, message->msg_namelen)
                             : sendmsg(fd, message, flags)) < 0)
    value = -errno;
  while (count) close(fds[--count]);
  if (held >= 0) close(held);
  return value;
}

static long sends(const Ask *ask, int fd, Text *line) {
  const __u64 *args = ask->data.args;
  struct mmsghdr one = {0};
  struct msghdr *message = &one.msg_hdr;
  struct iovec part = {(void *)args[1], args[2]}, theirs;
  long value = 0, count = 0;
  if (ask->data.nr == SYS_sendto) {
    if ((unsigned)args[5] > sizeof(struct sockaddr_storage)) return -EINVAL;
    message->msg_name = (void *)args[4], message->msg_namelen = args[5], message->msg_iovlen = 1;
    return sent(ask, fd, message, &part, (int)args[3], line);
  }
  if (ask->data.nr == SYS_sendmsg) {
    if (peek(ask->pid, args[1], message, sizeof *message) != sizeof *message) return -EFAULT;
    return sent(ask, fd, message, NULL, (int)args[2], line);
  }
  for (long most = args[2] < PARTS ? args[2] : PARTS; count < most; count++) {
    unsigned long at = args[1] + count * sizeof one;
    if (peek(ask->pid, at, &one, sizeof one) != sizeof one) value = -EFAULT;
    else value = sent(ask, fd, message, NULL, (int)args[3], line);
    if (value < 0) break;
    one.msg_len = value, part = (struct iovec){&one.msg_len, sizeof one.msg_len};
    theirs = (struct iovec){(char *)at + offsetof(struct mmsghdr, msg_len), sizeof one.msg_len};
    process_vm_writev(ask->pid, &part, 1, &theirs, 1, 0);
  }
  return count ? count : value;
}

/* Whether the address of a call, or none, can be another when the kernel reads it. */
static int unsure(const Ask *ask, int stream) {
  const __u64 *args = ask->data.args;
  struct msghdr message;
  if (stream || ask->data.nr == SYS_listen) return racy(ask->pid, 0, 0); /* it has none */
  if (ask->data.nr == SYS_sendto) return racy(ask->pid, args[4], args[5]);
  if (ask->data.nr == SYS_connect || ask->data.nr == SYS_bind)
    return racy(ask->pid, args[1], args[2]);
  return ask->data.nr == SYS_sendmmsg || racy(ask->pid, args[1], sizeof message) ||
         peek(ask->pid, args[1], &message, sizeof message) != sizeof message ||
         (message.msg_name && racy(ask->pid, (unsigned long)message.msg_name, message.msg_namelen));
}

/* A message on a stream: its maker sends it by a call that takes no address from memory, so that none
   can be put there, nor another socket be put in this one's place. Whether that comes about. */
static int plainly(const Ask *ask, int local, Text *line) {
  const __u64 *args = ask->data.args;
  struct msghdr message = {.msg_name = (void *)args[4], .msg_namelen = args[5]};
  struct sockaddr_storage to;
  struct iovec part;
  int flags = (int)args[2], whole = ask->data.nr == SYS_sendmsg;
  size_t empty = line->size;
  if (whole && peek(ask->pid, args[1], &message, sizeof message) != sizeof message) return 0;
  if (whole && (message.msg_controllen || flags & ~(MSG_NOSIGNAL | MSG_DONTWAIT))) return 0;
  if (whole && peek(ask->pid, (unsigned long)message.msg_iov, &part, sizeof part) != sizeof part)
    return 0;
  if (whole && !part.iov_len) return 0; /* without a byte nothing would be written */
  if ((local && message.msg_name) || ask->data.nr == SYS_sendmmsg) return 0;
  size_t size = address_at(ask->pid, (unsigned long)message.msg_name, message.msg_namelen, &to,
                           sizeof to);
  if (size) show_address(line, (void *)&to, size, 0);
  struct going *one = size ? attempt(ask, line) : begin(ask);
  line->size = empty;
  if (!size) one->line.size = 0;
  if (!step(one, -1)) return 0;
  unsigned long vector[] = {SYS_pwritev2, (unsigned long)message.msg_iov, message.msg_iovlen, -1, 0,
                            flags & MSG_DONTWAIT ? RWF_NOWAIT : 0};
  unsigned long bytes[] = {SYS_sendto, args[1], args[2], args[3], 0, 0};
  memcpy(one->instead, whole ? vector : bytes, sizeof one->instead);
  one->quiet = whole && flags & MSG_NOSIGNAL;
  answer(ask, AGAIN, 0);
  return 1;
}

/* Connections, names and messages of a socket: 0 where the kernel must do it. */
static int spoke(const Ask *ask, const struct call *call) {
  static Text line;
  static char where[PATH], real[SPOT];
  const __u64 *args = ask->data.args;
  struct going dial = {0}, *one = NULL;
  int domain = 0, type = 0, held = -1, number = ask->data.nr;
  int fd = given.file = borrow(ask->pid, args[0]);
  socklen_t size = sizeof domain;
  long value = fd < 0 ? -EBADF : getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) ? -errno : 0;
  if (!value) value = getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) ? -errno : 0;
  int named = names(number), pending = 0;
  int flags = named ? 0 : (int)args[number == SYS_sendmsg ? 2 : 3], stream = type == SOCK_STREAM;
  int inet = domain == AF_INET || domain == AF_INET6, local = domain == AF_UNIX;
  int binds = local && number == SYS_bind;
  size_t got = named && number != SYS_listen
                   ? address_at(ask->pid, args[1], (unsigned)args[2], &dial.to, sizeof dial.to) : 0;
  if (!binds) forget();
  else if (!file_of(ask->pid, &dial.to, got)) given.count = 0;
  if (!value && local && named && (number != SYS_connect || type != SOCK_DGRAM) &&
      !(binds && !(given.count && own(given.path)))) return 0;
  *where = 0, line.size = 0;
  if (fd >= 0) real_path(fd, where);
  sayf(&line, "%d\t%s", ask->pid, call->name), show_file(&line, "n", where);
  size_t empty = named ? 0 : line.size;
  if (!value && !binds && !(flags & MSG_FASTOPEN) && (!inet || (stream && !named))) {
    if (!unsure(ask, stream)) return 0;
    if (stream && plainly(ask, local, &line)) return 1;
    if ((local && !named && credentials) || flags & MSG_ZEROCOPY) return cut(), 0;
  }
  dial.ask = *ask, dial.fd = fd;
  if (named) {
    if (number != SYS_listen) {
      show_address(&line, (void *)&dial.to, got, number == SYS_connect), dial.size = args[2];
      if (!value && !got && args[2]) value = -EFAULT;
      if (!value && !binds) value = reached(ask, fd, &dial.to, &dial.size, &held);
    }
    if (binds && given.count) { /* from where the process is, so that the name is what it gave */
      show_path(&line, given.path), locate(ask, given.path, 0, real), show_file(&line, ">", real);
      umask(status_of(ask->pid, "\nUmask:", 8)), changes++;
      if (!value && given.path->folder >= 0 && fchdir(given.path->folder)) value = -errno;
    }
    if (!value && !waits(ask)) value = -EINTR;
    if (!value && number == SYS_bind)
      value = bind(fd, (void *)&dial.to, dial.size) ? -errno : 0;
    else if (!value && number == SYS_listen) value = listen(fd, (int)args[1]) ? -errno : 0;
    else if (!value) value = connected(&dial);
    if (binds && chdir("/")) die("chdir");
    if (held >= 0) close(held);
    int slow = value == -EINPROGRESS || value == -EALREADY;
    pending = number == SYS_connect && slow && !(fcntl(fd, F_GETFL) & O_NONBLOCK);
  } else if (!value && !(flags & MSG_FASTOPEN && stream)) {
    value = sends(ask, fd, &line);
  } else {
    got = number == SYS_sendto
              ? address_at(ask->pid, args[4], args[5], &dial.to, sizeof dial.to) : 0;
    if (got) show_address(&line, (void *)&dial.to, got, 0);
    if (number == SYS_sendmsg) show_message(&line, ask->pid, args[1]);
    if (!value) value = -EOPNOTSUPP; /* to send while connecting */
  }
  if (value == -EINTR && !pending) return missed(ask), 1;
  int waiting = value == -EAGAIN && !named && !(flags & MSG_DONTWAIT) &&
                !(fcntl(fd, F_GETFL) & O_NONBLOCK);
  if (value == ITSELF || (waiting && (stream || !inet)) || (stream && value == -EMSGSIZE))
    return cut(), 0;
  if (pending) {
    one = attempt(ask, &line), value = -EINTR;
    if (step(one, fd)) {
      one->dials = 1, one->to = dial.to, one->size = dial.size, given.file = -1;
      one->instead[0] = SYS_sendto, one->instead[3] = MSG_NOSIGNAL;
      one->instead[1] = one->instead[2] = one->instead[4] = one->instead[5] = 0;
      answer(ask, AGAIN, 0);
      return 1;
    }
    sayf(&line, "%d\tend\t%d", ask->pid, ask->pid), empty = 0;
  }
  drop(ask->pid);
  if (waiting && !ptrace(PTRACE_INTERRUPT, ask->pid, 0, 0)) {
    answer(ask, AGAIN, 0); /* its buffer is full: it asks again, and between takes its signals */
  } else {
    if (line.size > empty) show_result(&line, value), tell(&line);
    answer(ask, value, 0);
  }
  return 1;
}

/* What came of a call by the socket that it was about: its name, its peer's, whether it listens. */
static socklen_t outcome(const struct going *one, struct sockaddr_storage *to) {
  socklen_t size = sizeof *to, on = 0, word = sizeof on;
  int number = one->ask.data.nr;
  if (number == SYS_listen)
    return !getsockopt(one->fd, SOL_SOCKET, SO_ACCEPTCONN, &on, &word) && on ? size : 0;
  int failed = number == SYS_bind ? getsockname(one->fd, (void *)to, &size)
                                  : getpeername(one->fd, (void *)to, &size);
  return failed || size <= sizeof(sa_family_t) ? 0 : size;
}

/* Hold the socket that a call is about until its end. */
static void expect(struct going *one) {
  struct sockaddr_storage to;
  struct stat is;
  one->doubt = unsure(&one->ask, 0);
  if (given.file < 0 || fstat(given.file, &is)) return;
  one->fd = given.file, given.file = -1, one->socket = is.st_ino, one->known = outcome(one, &to) > 0;
  for (struct going *two = going; two; two = two->next)
    if (two != one && two->socket == one->socket)
      one->known = two->known = one->doubt = two->doubt = 1; /* which of them did it? */
}

/* Whether a line has this field. */
static int has_field(const Text *line, const Text *wanted) {
  char *at = line->data, *end = at + line->size;
  while (at && (at = memmem(at, end - at, wanted->data, wanted->size))) {
    at += wanted->size;
    if (at == end || *at == '\t') return 1;
  }
  return 0;
}

/* Others may change where the path of a socket begins: then it is to be found where it was told. */
static void suspect(struct going *one, const char *real) {
  struct stat is;
  for (struct going *two = going; two; two = two->next)
    if (two != one && two->state == TOLD && two->ask.data.nr == SYS_bind) cut();
  if (strlen(real) >= PATH || !fstatat(AT_FDCWD, real, &is, AT_SYMLINK_NOFOLLOW)) cut();
  else strcpy(one->path, real);
}

/* The name that was given or met is told where another was read; where no one can say, that too. */
static void vouch(struct going *one) {
  static Text line;
  struct sockaddr_storage to;
  struct stat is;
  socklen_t size = one->socket && !one->known ? outcome(one, &to) : 0;
  if (!one->doubt) return;
  if (one->ask.data.nr == SYS_bind && *one->path &&
      (changes != one->before || fstatat(AT_FDCWD, one->path, &is, AT_SYMLINK_NOFOLLOW) ||
       !S_ISSOCK(is.st_mode)))
    cut();
  line.size = 0;
  if (size && one->ask.data.nr == SYS_listen) return;
  if (size) show_address(&line, (void *)&to, size, 0);
  if (!line.size) {
    cut();
  } else if (!has_field(&one->line, &line)) {
    Text more = {0};
    sayf(&more, "%d\t%s", one->ask.pid, table[one->ask.data.nr].name);
    add(&more, line.data, line.size), show_result(&more, 0), tell(&more), free(more.data);
  }
}

/* Everything that a listener or a stop can tell */

static void heed(const Ask ask) {
  static Text line;
  static char real[SPOT];
  struct stat file = {0};
  line.size = 0, doubt = 0, magic = 1;
  struct call *call = &table[ask.data.nr & (NUMBERS - 1)];
  struct going *one = find(ask.pid);
  int again = one && one->state == ENTERED && one->ask.data.nr == ask.data.nr;
  int speaks = !strcmp(call->kind, "connect") || !strcmp(call->kind, "bind") ||
               !strcmp(call->kind, "listen");
  if (one && one->state == LATE) { /* no signal was left for its maker: it asks again at once */
    long value = one->value;
    drop(ask.pid), answer(&ask, value, 0);
    return;
  }
  if (one && one->tries > STEPS) { /* signals come faster than it can be read */
    cut(), pass(&ask);
    return;
  }
  gather(&ask, call);
  if (!waits(&ask)) return missed(&ask);
  if (again && speaks) given.file = borrow(ask.pid, ask.data.args[0]);
  if (!again && !strcmp(call->way, "done")) {
    int (*how)(const Ask *, const struct call *) = speaks ? spoke
                                                   : !strcmp(call->kind, "open") ? opened : done;
    if (how(&ask, call)) return;
  }
  int wanted = show(&line, &ask, call);
  if (!waits(&ask)) return missed(&ask);
  if (!strcmp(call->kind, "refused")) {
    answer(&ask, -EPERM, 0), show_result(&line, -EPERM), tell(&line);
  } else if (!strcmp(call->kind, "mark")) {
    answer(&ask, 0, 1);
    if (memmem(line.data, line.size, "\tp/kit-", 7)) show_result(&line, -ENOENT), tell(&line);
  } else if (!strcmp(call->kind, "noted")) {
    if (ask.data.nr == SYS_setsockopt) credentials = 1;
    else shared = 1; /* by io_setup */
    answer(&ask, 0, 1);
  } else if (!wanted) {
    pass(&ask);
  } else {
    if (given.count) {
      int follows = !memmem(line.data, line.size, "\tfNOFOLLOW", 10);
      if (!strcmp(call->kind, "bind")) show_path(&line, given.path), follows = 0;
      int held = locate(&ask, given.path, follows, real);
      show_file(&line, ">", real);
      if (held >= 0 && !fstat(held, &file)) show_number(&line, &file);
      close(held);
    }
    one = attempt(&ask, &line);
    /* Nobody sends a signal before the first program has begun, or changes what its starter says. */
    int first = !begun && S_ISREG(file.st_mode) && file.st_mode & 0111 && settled(real);
    if (again || first) {
      one->state = TOLD, one->opens = !strcmp(call->kind, "open");
      one->file = file, one->before = changes;
      if (!strcmp(call->kind, "exec")) {
        strcpy(one->path, given.path[0].fd == AT_FDCWD ? given.path[0].text : "");
        one->doubt = !first && (shared || status_of(ask.pid, "\nThreads:", 10) != 1);
      } else if (names(ask.data.nr)) {
        expect(one);
        if (given.count && one->doubt) suspect(one, real);
      }
      if (!answer(&ask, 0, 1)) one->state = BROKEN, one->tries++;
    } else if (step(one, -1)) {
      one->doubt = doubt;
      answer(&ask, AGAIN, 0);
    } else { /* signals come too fast: what comes of it stays open */
      cut(), pass(&ask);
    }
  }
}

static void asked(void) {
  Ask ask = {0};
  if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &ask)) return; /* its maker is gone */
  heed(ask);
  forget(); /* nothing of a process is held longer than it would */
  if (given.file >= 0) close(given.file);
  given.file = -1;
}

static void ended(pid_t pid, int status) {
  Text line = {0};
  struct going *one = find(pid);
  int told = one && one->state == TOLD && strcmp(table[one->ask.data.nr].kind, "exec");
  if (told && one->socket) vouch(one);
  else if (told && one->doubt) cut(); /* what it opened, another may hold */
  drop(pid), fetch(pid, 0, NULL);
  if (WIFEXITED(status)) {
    sayf(&line, "%d\texited", pid);
  } else {
    const char *name = sigabbrev_np(WTERMSIG(status));
    sayf(&line, "%d\tkilled\tsSIG", pid);
    if (name) say(&line, name);
    else sayf(&line, "RT_%d", WTERMSIG(status) - 32);
  }
  tell(&line), free(line.data);
}

/* The words with which a program began, as show_list shows them. */
static void show_words(Text *line, pid_t pid) {
  char name[32], part[CHUNK];
  sprintf(name, "%d/cmdline", pid);
  int fd = openat(proc, name, O_RDONLY | O_CLOEXEC), open = 0;
  for (ssize_t size; fd >= 0 && (size = read(fd, part, sizeof part)) > 0;)
    for (ssize_t i = 0; i < size && line->size < LISTED; i++) {
      if (!open) say(line, "\tw");
      if ((open = part[i] != 0)) escape(line, part + i, 1);
    }
  if (fd >= 0) close(fd);
}

/* Whether the words that were read before are those with which it began: after the interpreter and
   the path of a script. */
static int as_told(const struct going *one, Text *words, int *script) {
  Text tail = {0};
  char *end = one->line.data + one->line.size;
  char *path = one->line.size ? memmem(one->line.data, one->line.size, "\tp", 2) : NULL;
  char *told = path ? memmem(path, end - path, "\tw", 2) : NULL;
  char *behind = path ? memmem(path, end - path, "\tf", 2) : NULL;
  if (path && !behind) behind = memmem(path, end - path, "\t>", 2);
  *script = 0;
  if (!path) return 0;
  if (behind) end = behind;
  if (!told) told = end;
  if ((size_t)(end - told) == words->size && !memcmp(told, words->data, words->size)) return 1;
  char *rest = end - told > 2 ? memmem(told + 2, end - told - 2, "\tw", 2) : NULL;
  field(&tail, "w", one->path, strlen(one->path));
  if (rest) add(&tail, rest, end - rest);
  *script = words->size > tail.size &&
            !memcmp(words->data + words->size - tail.size, tail.data, tail.size);
  free(tail.data);
  return *script;
}

/* A program began: what it is is told, or where it is a script, what was there before. One that began
   by another path or with other words than were read before is told as it is. */
static void began(pid_t pid, const struct going *one, Text *line) {
  static char text[PATH], exe[PATH];
  static Text list;
  struct stat is = {0}, there;
  unsigned long words[64], at = 0;
  char name[32];
  int script, fd;
  sprintf(name, "%d/exe", pid);
  fd = hold_named(name), real_path(fd, exe);
  if (fd >= 0) fstat(fd, &is), close(fd);
  int found = is.st_ino && is.st_ino == one->file.st_ino && is.st_dev == one->file.st_dev;
  sayf(line, "%d\tend\t%d", pid, (int)one->ask.pid);
  if (found) show_file(line, ">", exe), show_number(line, &is);
  show_result(line, 0), tell(line);
  list.size = 0, show_words(&list, pid);
  int same = as_told(one, &list, &script) && *one->path;
  if (one->doubt && *one->path != '/' && script) cut(); /* its folder may have been another */
  if (!*one->path || (one->doubt && *one->path != '/')) { /* the file itself is told */
    strcpy(text, exe), same = 0;
  } else {
    sprintf(name, "%d/auxv", pid);
    fd = openat(proc, name, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? 0 : read(fd, words, sizeof words);
    if (fd >= 0) close(fd);
    for (ssize_t i = 0; i + 16 <= size; i += 16)
      if (words[i / 8] == AT_EXECFN) at = words[i / 8 + 1];
    long length = at ? text_at(pid, at, text, PATH) : 0;
    if (length <= 0 || length == PATH) strcpy(text, one->path);
    same = same && !strcmp(text, one->path);
  }
  if (same && !found && changes != one->before && !settled(text)) cut(); /* which script was it? */
  if (same || !*text) return;
  sayf(line, "%d\texecve", pid), field(line, "p", text, strlen(text));
  found = found || (*text == '/' && !fstatat(AT_FDCWD, text, &there, 0) && there.st_ino == is.st_ino &&
                    there.st_dev == is.st_dev);
  if (found) show_file(line, ">", exe);
  else if (strcmp(text, exe)) cut();
  add(line, list.data, list.size), show_result(line, 0), tell(line);
}

/* The end of a call that went on. */
static void finish(struct going *one, long value) {
  static Text line;
  char real[PATH] = "";
  struct stat is;
  pid_t pid = one->ask.pid;
  if (one->dials) {
    if (value == -EAGAIN) value = -EINPROGRESS; /* its own limit of time */
    else if (value > BROKEN_OFF && value != -EINTR) {
      long now = connected(one);
      if (!value || value == -EPIPE) value = now;
    }
  }
  if (one->instead[0]) {
    one->registers.rax = value;
    ptrace(PTRACE_SETREGS, pid, 0, &one->registers);
  }
  if (value > BROKEN_OFF || value < LAST_RESTART) { /* else a signal broke it off, and what came of it is open */
    if (one->opens && value >= 0) {
      leads(pid, (int)value, real);
      int fd = one->doubt ? hold(pid, (int)value) : -1;
      if (fd >= 0 && !fstat(fd, &is) && !S_ISFIFO(is.st_mode)) cut(); /* it was exchanged */
      if (fd >= 0) close(fd);
    } else if (value >= 0 && (one->socket || (one->doubt && !one->instead[0]))) vouch(one);
    sayf(&line, "%d\tend\t%d", pid, pid);
    if (one->line.size) show_file(&line, ">", real), show_result(&line, value), tell(&line);
    line.size = 0;
  }
  Ask ask = one->ask;
  one->state = PIPED;
  if (value != -EPIPE || !one->quiet) drop(pid);
  if (value <= BROKEN_OFF && value >= LAST_RESTART) begin(&ask)->state = GONE_ON;
}

/* A maker is at the beginning of its call, or of another in its place: one that dials sends no byte,
   so as to wait for the connection that we began. */
static void enters(struct going *one) {
  struct user_regs_struct *is = &one->registers, other;
  unsigned long *to = one->instead;
  if (ptrace(PTRACE_GETREGS, one->ask.pid, 0, is) || (int)is->orig_rax != one->ask.data.nr) {
    one->state = BROKEN;
  } else if (!*to) {
    one->state = ENTERED;
  } else {
    other = *is, other.orig_rax = to[0], other.rsi = to[1], other.rdx = to[2];
    other.r10 = to[3], other.r8 = to[4], other.r9 = to[5];
    one->state = ptrace(PTRACE_SETREGS, one->ask.pid, 0, &other) ? BROKEN : TOLD;
  }
}

/* A signal broke off the question that a call asks: the call returns what was done for it, or begins
   again after the signal. One that went on returns what the kernel says, as ever. */
static void mend(pid_t pid, const struct going *one) {
  struct user_regs_struct is;
  if (ptrace(PTRACE_GETREGS, pid, 0, &is) || (long)is.rax != BROKEN_OFF) return;
  if (is.orig_rax >= NUMBERS || !*table[is.orig_rax].name) return;
  if (is.orig_rax == SYS_sendto && !is.r8) return; /* it asks nothing */
  if (one && (one->state == TOLD || one->state == GONE_ON)) return;
  is.rax = AGAIN;
  if (one && one->state == LATE) is.rax = one->value, drop(pid);
  ptrace(PTRACE_SETREGS, pid, 0, &is);
}

static void stopped(pid_t pid, int status) {
  int event = status >> 16, number = WSTOPSIG(status), way = PTRACE_CONT;
  struct user_regs_struct registers;
  struct going *one = find(pid);
  unsigned long was;
  if (!event || event == PTRACE_EVENT_STOP) mend(pid, one), one = find(pid);
  if (event == PTRACE_EVENT_EXEC) {
    ptrace(PTRACE_GETEVENTMSG, pid, 0, &was), begun = 1;
    if ((one = find(was))) { /* a thread that becomes a program has the number of the first */
      Text line = {0};
      began(pid, one, &line);
      free(line.data), drop(was);
    }
    drop(pid);
  } else if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_CLONE ||
             event == PTRACE_EVENT_VFORK) {
    int parts = CLONE_FILES | CLONE_FS | (event == PTRACE_EVENT_VFORK ? 0 : CLONE_VM);
    if (!ptrace(PTRACE_GETREGS, pid, 0, &registers) && registers.orig_rax == SYS_clone)
      shared |= (registers.rdi & parts) && !(registers.rdi & CLONE_THREAD);
  } else if (event == PTRACE_EVENT_STOP && number != SIGTRAP) {
    ptrace(PTRACE_LISTEN, pid, 0, 0);
    return;
  } else if (event == PTRACE_EVENT_STOP) {
    if (one && one->state == ASKED) one->state = ENTERS, way = PTRACE_SYSCALL;
  } else if (!event && number == (SIGTRAP | 0x80)) {
    number = 0;
    if (one && one->state == TOLD) {
      if (!ptrace(PTRACE_GETREGS, pid, 0, &registers)) finish(one, registers.rax);
    } else if (one && one->state == ENTERS) {
      enters(one), way = one->state == BROKEN ? PTRACE_CONT : PTRACE_SYSCALL;
    } else if (one && one->state == ENTERED) {
      one->state = BROKEN, one->tries++; /* it never asked, or is to ask anew */
    }
  } else if (!event && one && one->state == PIPED) {
    if (number == SIGPIPE) number = 0, drop(pid);
  } else if (!event && one && one->state < TOLD) {
    one->state = BROKEN, one->tries++; /* a signal comes first; then the call asks anew */
  }
  ptrace(way, pid, 0, event ? 0 : number);
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

/* What the first program's process tells before it begins: the listener's number, and who it is. */
static int greet(int link, int *number, pid_t *first) {
  char room[CMSG_SPACE(sizeof(struct ucred))];
  struct iovec data = {number, sizeof *number};
  struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = room};
  struct ucred who;
  message.msg_controllen = sizeof room;
  ssize_t size = recvmsg(link, &message, MSG_CMSG_CLOEXEC);
  struct cmsghdr *part = size == sizeof *number ? CMSG_FIRSTHDR(&message) : NULL;
  if (!part || part->cmsg_type != SCM_CREDENTIALS) return 0;
  memcpy(&who, CMSG_DATA(part), sizeof who);
  return (*first = who.pid) > 0;
}

static int watch(pid_t init, int link) {
  int options = PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
                PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD;
  int process = syscall(SYS_pidfd_open, init, 0), number;
  pid_t first;
  sigset_t ends;
  if (process < 0) die("pidfd_open");
  sigemptyset(&ends), sigaddset(&ends, SIGCHLD), sigprocmask(SIG_BLOCK, &ends, NULL);
  if (!greet(link, &number, &first)) return 1;
  enter(init, process); /* not before: while bwrap still works, the old root lies over the new */
  close(process), process = syscall(SYS_pidfd_open, first, 0);
  listener = syscall(SYS_pidfd_getfd, process, number, 0);
  if (process < 0 || listener < 0) die("pidfd_getfd");
  if ((descriptors = openat(proc, "self/fd", O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0) die("/proc");
  if (ptrace(PTRACE_SEIZE, init, 0, options)) die("ptrace");
  if (ptrace(PTRACE_SEIZE, first, 0, options)) die("ptrace");
  ioctl(listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
  /* it wakes when its makers wait, not before: half as many changes between them */
  sched_setscheduler(0, SCHED_BATCH, &(struct sched_param){0});
  struct pollfd sources[2] = {{listener, POLLIN, 0}, {signalfd(-1, &ends, SFD_NONBLOCK), POLLIN, 0}};
  struct signalfd_siginfo told;
  if (write(link, "", 1) != 1) die("link");
  for (int left = 1; left;) {
    if (poll(sources, 2, -1) < 0 && errno != EINTR) die("poll");
    if (sources[1].revents) {
      while (read(sources[1].fd, &told, sizeof told) > 0) continue;
      left = changed();
    }
    if (sources[0].revents & POLLIN) asked();
    else if (sources[0].revents) sources[0].fd = -1;
  }
  flush();
  return 0;
}

static void learn(char *text) {
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
    struct call one;
    int number;
    if (sscanf(line, "%d %23s %11s %11s %11s %11s", &number, one.name, one.kind, one.shape,
               one.reads, one.way) != 6 || number < 0 || number >= NUMBERS)
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
  pid_t launcher = fork();
  if (!launcher) execv(words[4], words + 4), die(words[4]);
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
