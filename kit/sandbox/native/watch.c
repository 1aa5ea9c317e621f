/* Sees what the programs of a box do, and does the deed where that can be raced.

   watch CONTROL TRACE TABLE COMMAND...: starts COMMAND, then for every message on CONTROL (the pid
   of a box's first process, and a socket to it) forks a watcher of that box, which writes records
   to TRACE; when no process of the box is left, how the watcher ended is the answer.

   A record is a line of fields with tabs between them: the process, the call, and what is known of
   it, each with a letter before it (see watcher.py). Without a result it is the beginning of a
   call, to which the record `end` brings one. All that a program chose is escaped.

   A call of TABLE stops before it begins, and its maker waits. What can be done for another process
   is done here, from our own copy of what the arguments point to: nothing is read a second time. A
   path that leads below /proc is walked here, for `self` means the caller there.
   What must be done by the process itself goes on in the kernel: its line is written before, as
   that of an attempt, and what came of it behind, once its maker stops at the end of the call. It
   runs without a signal of ours: the first time it asks, the call is sent back to its beginning,
   and the maker stops there. Forks, ends and signals come by ptrace. Nothing here waits for what a
   program holds. */
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
enum {
  HOPS = 40,
  TRIES = 3,
  STEPS = 64,
  PASSED = 253,
  DATAGRAM = 1 << 19,
  PARTS = 1024,
  CONTROL = 4096,
  PROC_ROOT = 1
};
enum { PAGE = 4096 };                  /* behind its end there may be no memory */
enum { SPOT = 3 * PATH };              /* a folder, a name, and what comes behind it */
enum { UNNAMED = 020000000 };          /* of O_TMPFILE, without O_DIRECTORY */
#define OPENS 0x7fffc3ULL              /* every flag that openat2 knows */
enum { NAMED = 256, VALUE = 1 << 16 }; /* of an extended attribute */
enum { BLOCKS = -2 };                  /* an open that must wait */
enum { ITSELF = -1000 };               /* a message that only the process itself can send */
enum { AGAIN = -513 }; /* -ERESTARTNOINTR of the kernel: the call begins again, after any signal */
enum { CHECKED = 0x10000 }; /* AT_EXECVE_CHECK, since Linux 6.14 */
enum {
  BROKEN_OFF = -512,
  LAST_RESTART = -516
}; /* -ERESTARTSYS: the same, or EINTR where that is asked */

typedef struct seccomp_notif Ask;

/* A line of syscalls.py. How a call's arguments are shown: d a folder, p a path in it or in the
   working folder, s a text, o open's flags, h openat2's, n a descriptor, a an address and its
   length, M a message, V several, v a list of texts, x AT_ flags, r those of a rename, - nothing.
 */
static struct call {
  char name[24], shape[12], kind[12], reads[12], way[12];
} table[NUMBERS];

static int proc, descriptors; /* the host's /proc; there the folder of our descriptors */
static int listener, trace;   /* the filter's; the trace */
static int has_begun;         /* whether the first program of the box has begun */
static int is_doubtful; /* whether the call that is looked at goes on, and nobody knows on what */
static int may_follow_magic_links = 1; /* links to what a process has open */
static int has_fifos, has_proc_links; /* whether the program made such; then more care is taken */
static int credentials;               /* whether who gets a message may ask who sent it */
static int is_shared; /* whether memory, descriptors or the working folder may be changed from
                      outside a process */
static unsigned long changes; /* of names and links, until now */

static void die(const char *why) {
  perror(why);
  _exit(1);
}

/*** Texts ***/

typedef struct {
  char *data;
  size_t size, room;
} Text;

static Text pending_lines; /* lines to be written */

static void append_bytes(Text *text, const char *bytes, size_t size) {
  if (text->size + size > text->room) {
    text->room = (text->size + size) * 2;
    if (!(text->data = realloc(text->data, text->room))) die("memory");
  }
  memcpy(text->data + text->size, bytes, size);
  text->size += size;
}

static void append_text(Text *text, const char *bytes) { append_bytes(text, bytes, strlen(bytes)); }

static void append_format(Text *text, const char *format, ...) {
  char line[256];
  va_list rest;
  va_start(rest, format);
  int size = vsnprintf(line, sizeof line, format, rest);
  va_end(rest);
  append_bytes(text, line, size);
}

/* Bytes of which none can be taken for the end of a field. */
static void append_escaped(Text *text, const char *bytes, size_t size) {
  size_t from = 0;
  for (size_t i = 0; i < size; i++) {
    unsigned char c = bytes[i];
    if (c >= 32 && c < 127 && c != '\\') continue;
    append_bytes(text, bytes + from, i - from), append_format(text, "\\%03o", c), from = i + 1;
  }
  append_bytes(text, bytes + from, size - from);
}

static void append_field(Text *text, const char *letter, const char *bytes, size_t size) {
  append_text(text, "\t"), append_text(text, letter), append_escaped(text, bytes, size);
}

static void flush_trace(void) {
  for (size_t done = 0; done < pending_lines.size;) {
    ssize_t n = write(trace, pending_lines.data + done, pending_lines.size - done);
    if (n < 0 && errno != EINTR) die("trace");
    if (n > 0) done += n;
  }
  pending_lines.size = 0;
}

static void write_line(Text *line) {
  append_bytes(&pending_lines, line->data, line->size), append_text(&pending_lines, "\n");
  line->size = 0;
  if (pending_lines.size > HELD) flush_trace();
}

/*** Another process: its memory, its descriptors, its working folder ***/

/* A program may make itself untraceable by its equals; its tracer has one right more in reserve. */
static void use_ptrace_right(int on) {
  struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct sets[2] = {{0}};
  sets[0].permitted = 1 << CAP_SYS_PTRACE;
  sets[0].effective = on ? 1 << CAP_SYS_PTRACE : 0;
  if (syscall(SYS_capset, &head, sets)) die("capset");
}

static ssize_t read_memory(pid_t pid, unsigned long at, void *to, size_t size) {
  struct iovec ours = {to, size}, theirs = {(void *)at, size};
  ssize_t got = process_vm_readv(pid, &ours, 1, &theirs, 1, 0);
  if (got >= 0 || errno != EPERM) return got;
  use_ptrace_right(1), got = process_vm_readv(pid, &ours, 1, &theirs, 1, 0), use_ptrace_right(0);
  return got;
}

/* A text of the process, without its end: its length, `most` where it is longer, -1 for a fault. */
static long read_text(pid_t pid, unsigned long at, char *to, size_t most) {
  for (size_t done = 0; done < most;) {
    size_t step = PAGE - (at + done) % PAGE;
    if (step > most - done) step = most - done;
    if (read_memory(pid, at + done, to + done, step) != (ssize_t)step) return -1;
    char *end = memchr(to + done, 0, step);
    if (end) return end - to;
    done += step;
  }
  return most;
}

/* The kernel tells no path above PATH; the trace then says that it shows less than there was. */
static void note_incomplete(void) { append_text(&pending_lines, "0\tcut\n"); }

static ssize_t note_long_path(char *to) {
  note_incomplete();
  return sprintf(to, "/...");
}

static void format_proc_name(char *to, pid_t pid, int fd) {
  if (fd == AT_FDCWD) sprintf(to, "%d/cwd", pid);
  else sprintf(to, "%d/fd/%d", pid, fd);
}

/* A file of the process, held by its name in /proc; that may be one that only itself could see. */
static int hold_proc_file(const char *name) {
  int got = openat(proc, name, O_PATH | O_CLOEXEC);
  if (got < 0 && (errno == EACCES || errno == EPERM))
    use_ptrace_right(1), got = openat(proc, name, O_PATH | O_CLOEXEC), use_ptrace_right(0);
  return got;
}

/* The same of a descriptor or of the working folder. */
static int hold_descriptor(pid_t pid, int fd) {
  char name[48];
  format_proc_name(name, pid, fd);
  return hold_proc_file(name);
}

/* Whether what /proc says of a file, that it is gone, is said of this one: another may be called
 * so. */
static int is_gone(int fd, const char *told) {
  struct stat is, there;
  if (fstat(fd, &is) || !is.st_nlink) return 1;
  if (S_ISDIR(is.st_mode)) return 0;
  if (!fstatat(AT_FDCWD, told, &there, AT_SYMLINK_NOFOLLOW))
    return there.st_ino != is.st_ino || there.st_dev != is.st_dev;
  if (errno != ENOENT && errno != ENOTDIR) note_incomplete();
  return 1;
}

/* Where a descriptor of ours leads; "" where there is none. */
static void read_real_path(int fd, char to[PATH]) {
  static const char gone[] = " (deleted)";
  char name[16];
  sprintf(name, "%d", fd);
  ssize_t size = fd < 0 ? 0 : readlinkat(descriptors, name, to, PATH - 1), end = sizeof gone - 1;
  if (size < 0 && errno == ENAMETOOLONG) size = note_long_path(to);
  to[size > 0 ? size : 0] = 0;
  if (size > end && !strcmp(to + size - end, gone) && is_gone(fd, to)) to[size - end] = 0;
}

/* Where a descriptor or the working folder of the process leads; "" where there is none. */
static void read_descriptor_path(pid_t pid, int fd, char to[PATH]) {
  int held = hold_descriptor(pid, fd);
  read_real_path(held, to);
  if (held >= 0) close(held);
}

static void append_path(Text *line, const char *letter, const char *path) {
  if (*path) append_field(line, letter, path, strlen(path));
}

/* A number that /proc tells of the process; the last of a line, which is that inside the box. */
static long read_status_number(pid_t pid, const char *field, int digits) {
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
static int share_descriptor(pid_t pid, int fd) {
  int process = syscall(SYS_pidfd_open, pid, O_EXCL); /* of a thread; since Linux 6.9 */
  if (process < 0)
    process = syscall(SYS_pidfd_open, (pid_t)read_status_number(pid, "\nTgid:", 10), 0);
  int got = process < 0 ? -1 : syscall(SYS_pidfd_getfd, process, fd, 0);
  if (got < 0 && process >= 0 && errno == EPERM)
    use_ptrace_right(1), got = syscall(SYS_pidfd_getfd, process, fd, 0), use_ptrace_right(0);
  if (process >= 0) close(process);
  return got;
}

/* Whether another can change what a call finds in memory or behind a descriptor: a thread, one that
   has the same memory, or one that has the same page. */
static int is_racy(pid_t pid, unsigned long at, size_t size) {
  char name[32];
  unsigned long page = 0;
  if (is_shared || read_status_number(pid, "\nThreads:", 10) != 1) return 1;
  pid_t parent = read_status_number(pid, "\nPPid:", 10);
  sprintf(name, "%d/pagemap", pid);
  use_ptrace_right(1);
  int ways = syscall(SYS_kcmp, pid, parent, KCMP_VM, 0, 0) <= 0 || /* the same, or unknown */
             syscall(SYS_kcmp, pid, parent, KCMP_FILES, 0, 0) <= 0;
  int fd = size ? openat(proc, name, O_RDONLY | O_CLOEXEC) : -1;
  use_ptrace_right(0);
  if (size > sizeof(struct sockaddr_storage)) size = sizeof(struct sockaddr_storage);
  for (unsigned long i = at / 4096; !ways && size && i <= (at + size - 1) / 4096; i++)
    ways = pread(fd, &page, 8, i * 8) != 8 || page >> 63 != 1 || (page >> 61 & 1); /* of a file */
  if (fd >= 0) close(fd);
  return ways;
}

/*** Lines ***/

static void append_flags(Text *line, unsigned long flags) {
  unsigned long way = flags & O_ACCMODE;
  int writes = way == O_WRONLY || flags & (O_CREAT | O_TRUNC);
  append_text(line, way == O_RDWR ? "\tmrw" : writes ? "\tmw" : "\tmr");
  if (flags & O_NOFOLLOW) append_text(line, "\tfNOFOLLOW");
}

/* address:port, unix:path or family:name; nothing for what nobody could reach. `forgets`: with no
   family the call forgets an address, where others take it for one of the internet. */
static void append_address(Text *line, const unsigned char *bytes, size_t size, int forgets) {
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
    append_format(line, "\ta%s:%d", text, ntohs(a.in.sin_port));
  } else if (size >= 24 && family == AF_INET6) {
    inet_ntop(AF_INET6, &a.in6.sin6_addr, text, sizeof text);
    append_format(line, "\ta[%s]:%d", text, ntohs(a.in6.sin6_port));
  } else if (size > 2 && family == AF_UNIX) {
    size_t most = size - 2 < sizeof a.un.sun_path ? size - 2 : sizeof a.un.sun_path;
    /* an abstract name may hold any byte, a path ends with 0 */
    if (*a.un.sun_path) append_field(line, "aunix:", a.un.sun_path, strnlen(a.un.sun_path, most));
    else append_field(line, "aunix:@", a.un.sun_path + 1, most - 1);
  } else {
    static const char *const names[] = {
        [AF_UNIX] = "UNIX", [AF_INET] = "INET", [AF_INET6] = "INET6"};
    if (family < sizeof names / sizeof *names && names[family])
      append_format(line, "\tafamily:%s", names[family]);
    else append_format(line, "\tafamily:%u", family);
  }
}

/* An address of the process, as much of it as the kernel would take; 0 where it names none. */
static size_t read_address(pid_t pid, unsigned long at, unsigned long size, void *to, size_t most) {
  if (size > most) size = most;
  return at && read_memory(pid, at, to, size) == (ssize_t)size ? size : 0;
}

/* One message: whether it names an address. */
static int append_message_address(Text *line, pid_t pid, unsigned long at) {
  struct msghdr message;
  struct sockaddr_storage address;
  if (read_memory(pid, at, &message, sizeof message) != sizeof message) return 0;
  size_t size = read_address(pid, (unsigned long)message.msg_name, message.msg_namelen, &address,
                             sizeof address);
  if (!size) return 0;
  append_address(line, (void *)&address, size, 0);
  return 1;
}

static void append_text_list(Text *line, pid_t pid, unsigned long at) {
  static char text[SHOWN];
  unsigned long one;
  for (int i = 0; read_memory(pid, at + 8 * i, &one, 8) == 8 && one; i++) {
    long size = 0;
    if (i < SHOWN && line->size <= LISTED && (size = read_text(pid, one, text, SHOWN)) >= 0)
      append_field(line, "w", text, size);
    if (i == SHOWN || line->size > LISTED || size == SHOWN) note_incomplete();
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

static int has_prefix(const char *text, const char *with) {
  return !strncmp(text, with, strlen(with));
}

/* Whether a path has a part of this name. */
static int has_part(const char *path, const char *name) {
  size_t size = strlen(name);
  for (const char *at = path; (at = strstr(at, name)); at += size)
    if ((at == path || at[-1] == '/') && (!at[size] || at[size] == '/')) return 1;
  return 0;
}

/* Whether a path could mean the caller's own process, as all that leads below /proc. */
static int may_mean_own_process(const struct path *path) {
  static const char *const plain[] = {"/dev/null", "/dev/zero", "/dev/urandom", "/dev/shm/"};
  for (int i = 0; i < 4; i++)
    if (has_prefix(path->text, plain[i]) && !has_part(path->text, "proc")) return has_proc_links;
  return has_proc_links || has_part(path->text, "proc") || has_part(path->text, "dev") ||
         has_prefix(path->base, "/proc") || has_prefix(path->base, "/dev");
}

/* Whether no link on the way of an absolute path can be a program's. */
static int is_system_path(const char *path) {
  return (has_prefix(path, "/usr/") || has_prefix(path, "/lib")) && !has_part(path, "..");
}

static void release_paths(void) {
  for (struct path *path = given.path; path < given.path + given.count; path++) {
    if (path->use != path->folder) close(path->use);
    if (path->folder >= 0) close(path->folder);
  }
  given.count = 0;
}

/* Where the text of a path begins that the process gave with this folder. */
static void find_path_base(pid_t pid, struct path *path, int fd, int named) {
  *path->base = 0, path->folder = -1, path->named = named, path->fd = fd;
  path->name = path->text, *path->left = 0;
  path->text[path->size < 0 ? 0 : path->size < PATH ? path->size : PATH - 1] = 0;
  if (path->size <= 0 || *path->text != '/') {
    if ((path->folder = hold_descriptor(pid, fd)) >= 0) read_real_path(path->folder, path->base);
  } else if (may_mean_own_process(path)) {
    read_descriptor_path(pid, path->fd = AT_FDCWD, path->base);
  } else {
    path->fd = AT_FDCWD; /* where it begins matters not */
  }
  path->use = path->folder;
}

/* The file that the address of a UNIX socket names, if any, becomes the path of the call. */
static int take_socket_path(pid_t pid, const struct sockaddr_storage *at, size_t size) {
  const struct sockaddr_un *to = (const void *)at;
  struct path *path = given.path;
  size_t named = offsetof(struct sockaddr_un, sun_path);
  if (size <= named || size > sizeof *to || to->sun_family != AF_UNIX || !*to->sun_path) return 0;
  release_paths();
  path->size = strnlen(to->sun_path, size - named);
  memcpy(path->text, to->sun_path, path->size);
  find_path_base(pid, path, AT_FDCWD, 0), given.count = 1;
  return 1;
}

static void read_call_texts(const Ask *ask, const struct call *call) {
  struct sockaddr_storage to = {0};
  int fd = AT_FDCWD, named = 0, at = 0;
  if (ask->data.nr == SYS_bind)
    take_socket_path(
        ask->pid, &to,
        read_address(ask->pid, ask->data.args[1], (unsigned)ask->data.args[2], &to, sizeof to));
  for (const char *shape = call->shape; *shape; shape++, at++) {
    struct path *path = &given.path[given.count];
    if (*shape == 'd') fd = (int)ask->data.args[at], named = 1;
    if (*shape == 'h' && read_memory(ask->pid, ask->data.args[at], &given.flags, 8) != 8)
      given.flags = 0;
    if (*shape != 'p' && *shape != 's') continue;
    path->size = read_text(ask->pid, ask->data.args[at], path->text, PATH);
    find_path_base(ask->pid, path, fd, named);
    if (*shape == 's')
      has_proc_links |= has_part(path->text, "proc") || has_part(path->text, "dev");
    given.count++, fd = AT_FDCWD, named = 0;
  }
}

/* A path as the process means it, dots and all, and the working folder where that is known. */
static void append_call_path(Text *line, const struct path *path) {
  size_t base = strlen(path->base);
  int whole = path->size >= 0 && *path->text == '/';
  if (path->fd == AT_FDCWD && (path->named || path->size >= 0)) append_path(line, "c", path->base);
  if (path->size < 0 && (!path->named || !base)) return;
  append_text(line, "\tp");
  if (!whole && base && *path->base != '/') return; /* below a socket or a pipe: no path at all */
  if (!whole && !base && !*path->text) append_text(line, ".");
  if (!whole) append_escaped(line, path->base, base);
  if (!whole && base && path->size >= 0) append_text(line, "/");
  if (path->size >= 0) append_escaped(line, path->text, strlen(path->text));
}

/* The call as far as it is known before it begins; whether anyone wants to know of it. */
static int describe_call(Text *line, const Ask *ask, const struct call *call) {
  static char where[PATH];
  struct sockaddr_storage address;
  int wanted = 1, at = 0, texts = 0;
  append_format(line, "%d\t%s", ask->pid, call->name);
  for (const char *shape = call->shape; *shape; shape++, at++) {
    unsigned long value = ask->data.args[at];
    struct path *path = &given.path[texts];
    if (*shape == 'p') append_call_path(line, path);
    else if (*shape == 's') append_field(line, "s", path->text, strlen(path->text));
    else if (*shape == 'n') {
      if (given.file >= 0) read_real_path(given.file, where);
      else read_descriptor_path(ask->pid, (int)value, where);
      append_path(line, "n", where);
    } else if (*shape == 'o') append_flags(line, value);
    else if (*shape == 'c') append_flags(line, O_CREAT | O_WRONLY | O_TRUNC);
    else if (*shape == 'h') append_flags(line, given.flags);
    else if (*shape == 'x') {
      if (value & AT_SYMLINK_NOFOLLOW) append_text(line, "\tfNOFOLLOW");
      if (value & CHECKED && !strcmp(call->kind, "exec")) wanted = 0; /* it starts nothing */
    } else if (*shape == 'r') {
      if (value & RENAME_EXCHANGE) append_text(line, "\tfEXCHANGE");
    } else if (*shape == 'v') append_text_list(line, ask->pid, value);
    else if (*shape == 'a') {
      size_t size = read_address(ask->pid, value, ask->data.args[at + 1], &address, sizeof address);
      wanted = size > 0;
      if (size) append_address(line, (void *)&address, size, ask->data.nr == SYS_connect);
    } else if (*shape == 'M') wanted = append_message_address(line, ask->pid, value);
    else if (*shape == 'V') {
      wanted = 0;
      unsigned long count = ask->data.args[at + 1] < SHOWN ? ask->data.args[at + 1] : SHOWN;
      for (unsigned long i = 0; i < count; i++)
        wanted |= append_message_address(line, ask->pid, value + i * sizeof(struct mmsghdr));
    } else if (*shape == 'm') has_fifos |= S_ISFIFO(value);
    texts += *shape == 'p' || *shape == 's';
  }
  return wanted;
}

static void append_result(Text *line, long value) {
  const char *name = value < 0 ? strerrorname_np(-value) : NULL;
  if (value < 0) append_text(line, "\t!"), append_text(line, name ? name : "EPERM");
  else append_format(line, "\t=%ld", value);
}

/*** Answers ***/

/* Whether a call still waits: if not, what was read may be the memory of another process. */
static int is_still_waiting(const Ask *ask) {
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
  long value;                         /* of one that is late */
  int tries, opens, dials, quiet, fd; /* fd: what we hold of it, -1 for nothing */
  int doubt, known; /* whether it can be another's; whether its socket had a name before */
  ino_t socket;
  unsigned long instead[6]; /* the call that it makes for the one that it asked for */
  struct user_regs_struct registers;
  socklen_t size;
  struct sockaddr_storage to;
  Text line;            /* as it was told last */
  char path[PATH];      /* of a program to be started, of a socket that may come to lie elsewhere */
  struct stat file;     /* what was there, */
  unsigned long before; /* after so many changes */
} *going;

static struct going *find_going_call(pid_t pid) {
  struct going *one = going;
  while (one && (pid_t)one->ask.pid != pid) one = one->next;
  return one;
}

static void drop_going_call(pid_t pid) {
  for (struct going **at = &going, *one; (one = *at); at = &one->next)
    if ((pid_t)one->ask.pid == pid) {
      *at = one->next;
      if (one->fd >= 0) close(one->fd);
      free(one->line.data), free(one);
      return;
    }
}

static struct going *begin_going_call(const Ask *ask) {
  struct going *one = find_going_call(ask->pid);
  if (!one) {
    if (!(one = calloc(1, sizeof *one))) die("memory");
    one->next = going, one->fd = -1, going = one;
  }
  one->ask = *ask;
  return one;
}

/* Whether the answer was given: not to a maker that is dead, or that a signal took away. What was
   done for that one is what its call returns, once it stops for the signal. */
static int answer_call(const Ask *ask, long value, int go_on) {
  struct seccomp_notif_resp said = {.id = ask->id};
  if (go_on) said.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  else if (value < 0) said.error = value;
  else said.val = value;
  if (!ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &said)) return 1;
  if (errno != ENOENT) die("answer");
  if (!go_on && value != AGAIN) {
    struct going *one = begin_going_call(ask);
    one->state = LATE, one->value = value;
  }
  return 0;
}

/* A signal came before anything was done; the call is to be asked about again. */
static void ask_again(const Ask *ask) {
  struct going *one = find_going_call(ask->pid);
  if (!one) one = begin_going_call(ask), one->state = BROKEN;
  one->tries++;
}

/* Let a call go on of which nothing is told. */
static void let_call_go_on(const Ask *ask) {
  drop_going_call(ask->pid);
  if (answer_call(ask, 0, 1)) begin_going_call(ask)->state = GONE_ON;
}

/* Tell that a call begins, once where it is the same as before. */
static struct going *tell_beginning(const Ask *ask, Text *line) {
  struct going *one = begin_going_call(ask);
  if (one->line.size == line->size && !memcmp(one->line.data, line->data, line->size)) return one;
  one->line.size = 0, append_bytes(&one->line, line->data, line->size);
  write_line(line);
  return one;
}

/* Send a call back to its beginning, where its maker stops; whether that comes about. */
static int send_back_to_start(struct going *one, int fd) {
  if (one->tries > STEPS || ptrace(PTRACE_INTERRUPT, one->ask.pid, 0, 0)) return 0;
  if (one->fd >= 0) close(one->fd);
  one->fd = fd, one->state = ASKED, one->dials = one->quiet = one->socket = 0;
  one->instead[0] = 0;
  return 1;
}

/*** Deeds done here ***/

/* What was opened for a call whose maker a signal took away: it is handed over when the call is
   made again, and told where that never comes. One for a process. */
static struct kept {
  struct kept *next;
  pid_t pid;
  int fd;
  long flags;
  Text line;
} *kept;

static void keep_descriptor(pid_t pid, int fd, long flags, const Text *line) {
  struct kept *one = calloc(1, sizeof *one);
  if (!one) die("memory");
  *one = (struct kept){kept, pid, fcntl(fd, F_DUPFD_CLOEXEC, 0), flags, {0}};
  append_bytes(&one->line, line->data, line->size), kept = one;
}

/* The descriptor that was kept for this call, -1 where there is none. */
static int take_kept_descriptor(pid_t pid, long flags, const Text *line) {
  for (struct kept **at = &kept, *one; (one = *at); at = &one->next)
    if (one->pid == pid && (!line || (one->flags == flags && one->line.size == line->size &&
                                      !memcmp(one->line.data, line->data, line->size)))) {
      int fd = one->fd;
      *at = one->next;
      if (!line) write_line(&one->line), close(fd);
      free(one->line.data), free(one);
      return fd;
    }
  return -1;
}

/* Hand a descriptor over as what the call returns; that, or a negative errno. */
static long hand_over_descriptor(const Ask *ask, int fd, long flags) {
  struct seccomp_notif_addfd given = {.id = ask->id, .srcfd = fd};
  given.flags = SECCOMP_ADDFD_FLAG_SEND, given.newfd_flags = flags & O_CLOEXEC;
  long value = ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &given);
  if (value >= 0) return value;
  value = -errno;
  if (errno != ENOENT && errno != ESRCH) answer_call(ask, value, 0);
  return value;
}

/* What stands against a path before it is used: a negative errno, 0 for nothing. */
static long find_path_error(const struct path *path) {
  if (path->size < 0) return -EFAULT;
  if (path->size == PATH) return -ENAMETOOLONG;
  return path->folder < 0 && *path->text != '/' ? -EBADF : 0;
}

static int is_below_proc(int fd) {
  struct statfs system;
  return !fstatfs(fd, &system) && system.f_type == PROC_SUPER_MAGIC;
}

/* What no program may have: memory through a file, and the file that tells when its own was read.
 */
static int is_private_file(int fd) {
  static char real[PATH];
  if (!is_below_proc(fd)) return 0;
  read_real_path(fd, real);
  char *name = strrchr(real, '/');
  return !name || !strcmp(name, "/pagemap") || !strcmp(name, "/mem");
}

/* As openat, and of the caller's own process also what only itself may see. */
static int open_as_process(int at, const char *name, int flags, int mine) {
  int fd = openat(at, name, flags | O_PATH | O_CLOEXEC);
  if (fd < 0 && mine && (errno == EACCES || errno == EPERM))
    use_ptrace_right(1), fd = openat(at, name, flags | O_PATH | O_CLOEXEC), use_ptrace_right(0);
  return fd;
}

/* The way of a path, link by link: from then on `use` and `name` stand for its last part, which
   is no link where links are to be followed, unless to what another process has open.
   A negative errno, 0 for success, 1 where a part of it was the caller's own process. */
static long walk_path(const Ask *ask, struct path *path, int follow) {
  static char todo[2 * PATH + 2], link[PATH];
  long self = read_status_number(ask->pid, "\nNStgid:", 10),
       thread = read_status_number(ask->pid, "\nNSpid:", 10);
  char *last = path->last, *rest = todo;
  int at = *path->text == '/' ? open_as_process(AT_FDCWD, "/", 0, 0)
                              : fcntl(path->folder, F_DUPFD_CLOEXEC, 0);
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
    int proc = is_below_proc(at), root = proc && !fstat(at, &is) && is.st_ino == PROC_ROOT;
    if (whole && !follow) break;
    if (root && !strcmp(last, "self")) sprintf(last, "%ld", self);
    else if (root && !strcmp(last, "thread-self")) {
      sprintf(link, "%ld/task/%ld%.*s", self, thread, PATH - 64, rest);
      rest = strcpy(todo, link);
      continue;
    }
    mine |= root && strtol(last, NULL, 10) == self;
    if ((next = open_as_process(at, last, O_NOFOLLOW, mine)) < 0) {
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
      if (*todo == '/') close(at), at = open_as_process(AT_FDCWD, "/", 0, 0), mine = 0;
      strcpy(last, ".");
    } else if (known && S_ISLNK(is.st_mode) && whole) {
      close(next);
      if (!may_follow_magic_links) value = -ELOOP;
      break;
    } else if (end && !S_ISLNK(is.st_mode)) {
      close(next), strcat(last, *rest ? "/" : "");
      break;
    } else {
      if (S_ISLNK(is.st_mode)) {
        close(next);
        if (!may_follow_magic_links) value = -ELOOP;
        else if ((next = open_as_process(at, last, 0, mine)) < 0) value = -errno;
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
static long prepare_path(const Ask *ask, struct path *path, int follow, int walks) {
  long value = find_path_error(path);
  return value || !walks || !*path->text ? value : walk_path(ask, path, follow);
}

/* Where a path lies, or where it leads if links are `followed`: told by what we hold, for no link
   and no name changes but by us, and what is told is what is done. Held is then what it leads to,
   else -1. A path that ends in nothing is walked link by link, as one that begins at the caller. */
static int locate_path(const Ask *ask, const struct path *path, int followed, char to[SPOT]) {
  static struct path way;
  static char parent[PATH];
  int plain = path->use == path->folder && !may_mean_own_process(path), fd = -1;
  *to = 0;
  if (find_path_error(path)) return -1;
  if (!*path->text) return strcpy(to, path->base), -1;
  if (plain && followed && (fd = openat(path->use, path->text, O_PATH | O_CLOEXEC)) >= 0)
    return read_real_path(fd, to), fd;
  if (plain && !followed) {
    size_t end = strlen(path->text), from;
    while (end && path->text[end - 1] == '/') end--;
    for (from = end; from && path->text[from - 1] != '/';) from--;
    memcpy(parent, path->text, from), parent[from] = 0;
    if (!from) strcpy(to, *path->text == '/' ? "/" : path->base);
    else if ((fd = openat(path->use, parent, O_PATH | O_DIRECTORY | O_CLOEXEC)) >= 0)
      read_real_path(fd, to), close(fd);
    if (*to) return sprintf(to + strlen(to), "/%.*s", (int)(end - from), path->text + from), -1;
  }
  if (path->use == path->folder) way = *path, walk_path(ask, &way, followed), path = &way;
  fd = followed && !*path->left ? open_as_process(path->use, path->name, 0, 1) : -1;
  read_real_path(fd >= 0 ? fd : path->use, to);
  if (fd < 0 && *to) sprintf(to + strlen(to), "/%s%s", path->name, path->left);
  if (path == &way && way.use != way.folder) close(way.use);
  return fd;
}

/* A file of several names is told by its number too. */
static void append_inode(Text *line, const struct stat *is) {
  if (!S_ISDIR(is->st_mode) && is->st_nlink > 1)
    append_format(line, "\ti%lx:%lx", (long)is->st_dev, (long)is->st_ino);
}

static int open_path(const struct path *path, const struct open_how *how, int extended) {
  if (extended) return syscall(SYS_openat2, path->use, path->name, how, sizeof *how);
  return openat(path->use, path->name, (int)how->flags, (mode_t)how->mode);
}

/* The same where a FIFO may lie, whose open waits for another: what lies there is held first, and
   then opened itself. BLOCKS for a FIFO, and where it was exchanged too often to be sure. */
static int open_held_path(const struct path *path, const struct open_how *how, int extended,
                          int exact) {
  struct open_how look = {.flags = O_PATH | O_CLOEXEC, .resolve = how->resolve}, make = *how;
  struct stat is;
  char name[32];
  look.flags |= how->flags & (O_NOFOLLOW | O_DIRECTORY), make.flags |= O_EXCL;
  if (exact) look.flags |= O_NOFOLLOW;
  if ((how->flags & UNNAMED) || (how->flags & O_CREAT && how->flags & (O_EXCL | O_DIRECTORY)))
    return open_path(path, how, extended); /* makes a new file */
  for (int tries = 0; tries < TRIES; tries++) {
    int held = open_path(path, &look, extended), fd = -1;
    if (held < 0 && !(how->flags & O_CREAT)) return -1;
    if (held < 0 && ((fd = open_path(path, &make, extended)) >= 0 || errno != EEXIST)) return fd;
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
static int carry_out_open(const Ask *ask, const struct call *call) {
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
  } else if (read_memory(ask->pid, rest[0], &how, known) != (ssize_t)known ||
             read_memory(ask->pid, rest[0] + known, tail, all - known) != (ssize_t)(all - known)) {
    value = -EFAULT;
  } else {
    for (unsigned long i = 0; i < all - known; i++) value = tail[i] ? -E2BIG : value;
    if (how.flags & ~OPENS || how.mode & ~07777ULL ||
        (how.mode && !(how.flags & (O_CREAT | UNNAMED))))
      value = -EINVAL;
  }
  long flags = given.flags = how.flags;
  if (extended && !is_still_waiting(ask)) return ask_again(ask), 1;
  if (may_mean_own_process(path)) may_follow_magic_links = !(how.resolve & RESOLVE_NO_MAGICLINKS);
  if (may_mean_own_process(path) && !(how.resolve & ~(RESOLVE_NO_MAGICLINKS | RESOLVE_CACHED)))
    how.resolve = 0;
  int walks = !how.resolve && (may_mean_own_process(path) || has_fifos);
  int holds = (walks && !(flags & O_NOFOLLOW)) || (has_fifos && !(flags & O_NONBLOCK));
  if (flags & O_PATH) return 0; /* nobody can hand over such a descriptor */
  if (how.resolve && path->folder < 0)
    path->use = path->folder = hold_descriptor(ask->pid, (int)ask->data.args[0]);
  int exact = flags & O_NOFOLLOW || (flags & O_CREAT && flags & O_EXCL);
  line.size = 0, describe_call(&line, ask, call);
  fd = take_kept_descriptor(ask->pid, flags, &line);
  for (int tries = 0; tries < TRIES && fd < 0 && value >= 0; tries++) {
    value = prepare_path(ask, path, !exact, walks);
    if (value < 0) break;
    int here = walks && !is_below_proc(path->use); /* no link is left to be followed */
    how.flags = flags | O_CLOEXEC | O_NOCTTY;
    if (flags & (O_CREAT | UNNAMED)) umask(read_status_number(ask->pid, "\nUmask:", 8));
    int mine = value > 0;
    if (mine) use_ptrace_right(1);
    fd = holds ? open_held_path(path, &how, extended, here) : open_path(path, &how, extended);
    value = fd < 0 ? -errno : 0;
    if (mine) use_ptrace_right(0);
    if ((is_doubtful = fd == BLOCKS)) return 0;
    if (value != -ELOOP || !walks || flags & O_NOFOLLOW) break;
    if (tries + 1 < TRIES) value = 0; /* a link took its place: the way is another */
  }
  if (fd >= 0 && walks && is_private_file(fd)) close(fd), fd = -1, value = -EACCES;
  drop_going_call(ask->pid);
  if (fd >= 0) value = hand_over_descriptor(ask, fd, flags);
  else answer_call(ask, value, 0);
  *real = 0;
  int late = fd >= 0 && (value == -ENOENT || value == -ESRCH);
  if (late) take_kept_descriptor(ask->pid, 0, NULL), keep_descriptor(ask->pid, fd, flags, &line);
  if (fd >= 0) {
    read_real_path(fd, real), changes += (flags & O_CREAT) != 0;
    if (!is_system_path(real) && !fstat(fd, &is)) append_inode(&line, &is);
    close(fd);
  } else if (!how.resolve && !is_system_path(path->text)) {
    close(locate_path(ask, path, !exact, real));
  }
  if (!late) append_path(&line, ">", real), append_result(&line, value), write_line(&line);
  return 1;
}

/* The times of a call that sets a file's, as utimensat takes them; NULL for now. */
static long read_times(const Ask *ask, const struct timespec **to) {
  static struct timespec times[2];
  long number = ask->data.nr, words[4] = {0}, parts = number == SYS_utime ? 1 : 2;
  unsigned long at = ask->data.args[number == SYS_utime || number == SYS_utimes ? 1 : 2];
  ssize_t size = 2 * parts * sizeof *words;
  *to = NULL;
  if (!at) return 0;
  if (read_memory(ask->pid, at, words, size) != size) return -EFAULT;
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
static long read_attribute(const Ask *ask, int sets, char name[NAMED], char value[VALUE]) {
  const __u64 *args = ask->data.args;
  long size = read_text(ask->pid, args[1], name, NAMED);
  if (size < 0) return -EFAULT;
  if (!size || size == NAMED) return -ERANGE;
  if (sets && args[3] > VALUE) return -E2BIG;
  if (!sets || !args[3]) return 0;
  return read_memory(ask->pid, args[2], value, args[3]) == (ssize_t)args[3] ? 0 : -EFAULT;
}

/* Deletes, renames, new files, folders and links, rights, owners, lengths, times and attributes:
   0 where the kernel must do it. */
static int carry_out_change(const Ask *ask, const struct call *call) {
  static Text line;
  static char real[2][SPOT], attribute[NAMED], content[VALUE];
  char pinned[32];
  struct stat is = {0};
  const struct timespec *times = NULL;
  struct rlimit most = {0};
  const __u64 *args = ask->data.args;
  struct path *one = &given.path[0], *two = &given.path[1];
  long value = 0, number = ask->data.nr, mine = 0;
  if (number == SYS_truncate &&
      (prlimit(ask->pid, RLIMIT_FSIZE, NULL, &most) || args[1] > most.rlim_cur))
    return !(is_doubtful = 1);                  /* a signal comes */
  const char *flags = strchr(call->shape, 'x'); /* links are followed by some, and asked about */
  int follow = !strcmp(call->reads, "leads");
  if (flags && number == SYS_linkat) follow = (args[4] & AT_SYMLINK_FOLLOW) != 0;
  else if (flags) follow = !(args[flags - call->shape] & AT_SYMLINK_NOFOLLOW);
  int file = *call->shape == 'n' || (number == SYS_utimensat && !args[1] && (int)args[0] >= 0);
  int goes = file ? given.file = share_descriptor(ask->pid, args[0]) : -1, held = -1;
  if (file && goes < 0) value = -EBADF;
  else if (file && given.count) read_real_path(goes, one->base);
  for (int i = 0; i < given.count && value >= 0 && !file; i++) {
    int text = call->shape[0] == 's' && !i;
    value = text ? one->size < 0       ? -EFAULT
                   : one->size == PATH ? -ENAMETOOLONG
                                       : 0
                 : prepare_path(ask, &given.path[i], follow && !i,
                                may_mean_own_process(&given.path[i]));
    if (value > 0) mine = 1;
  }
  int a = one->use, b = two->use, failed = -1, symbolic = *call->shape == 's';
  const char *p = one->name, *q = two->name;
  for (int i = symbolic; i < given.count && !file; i++) {
    int to = locate_path(ask, &given.path[i], follow && !i, real[i]);
    if (to >= 0) held = to, a = proc, sprintf(pinned, "self/fd/%d", to), p = pinned;
  }
  int known = file ? fstat(goes, &is)
                   : fstatat(a, p, &is, follow || !*p ? AT_EMPTY_PATH : AT_SYMLINK_NOFOLLOW);
  if (value >= 0 && strstr(call->name, "time")) value = read_times(ask, &times);
  if (value >= 0 && strstr(call->name, "xattr"))
    value = read_attribute(ask, strstr(call->name, "set") != NULL, attribute, content);
  int folder = number == SYS_truncate || (strstr(call->name, "xattr") && !file);
  if (value >= 0 && folder && a >= 0 && fchdir(a)) value = -errno;
  if (!is_still_waiting(ask)) return ask_again(ask), 1;
  if (number == SYS_mkdir || number == SYS_mkdirat || number == SYS_mknod || number == SYS_mknodat)
    umask(read_status_number(ask->pid, "\nUmask:", 8));
  if (value < 0) number = -1;
  if (mine) use_ptrace_right(1);
  switch (number) {
  case -1:
    errno = -value;
    break;
  case SYS_unlink:
    failed = unlinkat(a, p, 0);
    break;
  case SYS_unlinkat:
    failed = unlinkat(a, p, args[2]);
    break;
  case SYS_rmdir:
    failed = unlinkat(a, p, AT_REMOVEDIR);
    break;
  case SYS_rename:
  case SYS_renameat:
    failed = renameat2(a, p, b, q, 0);
    break;
  case SYS_renameat2:
    failed = renameat2(a, p, b, q, args[4]);
    break;
  case SYS_mkdir:
    failed = mkdirat(a, p, args[1]);
    break;
  case SYS_mkdirat:
    failed = mkdirat(a, p, args[2]);
    break;
  case SYS_mknod:
    failed = syscall(SYS_mknodat, a, p, (mode_t)args[1], (unsigned)args[2]);
    break;
  case SYS_mknodat:
    failed = syscall(SYS_mknodat, a, p, (mode_t)args[2], (unsigned)args[3]);
    break;
  case SYS_symlink:
  case SYS_symlinkat:
    failed = symlinkat(p, b, q);
    break;
  case SYS_link:
    failed = linkat(a, p, b, q, 0);
    break;
  case SYS_linkat:
    failed = linkat(a, p, b, q, args[4]);
    break;
  case SYS_chmod:
    failed = syscall(SYS_fchmodat, a, p, args[1]);
    break;
  case SYS_fchmodat:
    failed = syscall(SYS_fchmodat, a, p, args[2]);
    break;
  case SYS_chown:
    failed = fchownat(a, p, args[1], args[2], 0);
    break;
  case SYS_lchown:
    failed = fchownat(a, p, args[1], args[2], AT_SYMLINK_NOFOLLOW);
    break;
  case SYS_fchownat:
    failed = fchownat(a, p, args[2], args[3], args[4]);
    break;
  case SYS_truncate:
    failed = truncate(p, args[1]);
    break;
  case SYS_utime:
  case SYS_utimes:
  case SYS_futimesat:
    failed = syscall(SYS_utimensat, a, p, times, 0);
    break;
  case SYS_utimensat:
    failed = file ? syscall(SYS_utimensat, goes, NULL, times, args[3])
                  : syscall(SYS_utimensat, a, p, times, args[3]);
    break;
  case SYS_setxattr:
    failed = setxattr(p, attribute, content, args[3], args[4]);
    break;
  case SYS_lsetxattr:
    failed = lsetxattr(p, attribute, content, args[3], args[4]);
    break;
  case SYS_removexattr:
    failed = removexattr(p, attribute);
    break;
  case SYS_lremovexattr:
    failed = lremovexattr(p, attribute);
    break;
  case SYS_fsetxattr:
    failed = fsetxattr(goes, attribute, content, args[3], args[4]);
    break;
  case SYS_fremovexattr:
    failed = fremovexattr(goes, attribute);
    break;
  case SYS_fchmod:
    failed = fchmod(goes, args[1]);
    break;
  case SYS_fchown:
    failed = fchown(goes, args[1], args[2]);
    break;
  default:
    errno = ENOSYS; /* the table names a call that stands in no line above */
  }
  value = failed ? -errno : 0;
  if (mine) use_ptrace_right(0);
  if (folder && chdir("/")) die("chdir");
  if (held >= 0) close(held);
  describe_call(&line, ask, call), changes++;
  for (int i = symbolic; i < given.count && !file; i++)
    append_field(&line, ">", real[i], strlen(real[i]));
  is.st_nlink += !strcmp(call->reads, "made");
  if (!known && !symbolic && strcmp(call->kind, "delete")) append_inode(&line, &is);
  append_result(&line, value), write_line(&line);
  drop_going_call(ask->pid), answer_call(ask, value, 0);
  return 1;
}

/*** Sockets ***/

/* What a connect comes to at once; of one that must wait, that it does. */
static long read_connect_result(const struct going *one) {
  struct timeval was, least = {0, 1};
  socklen_t size = sizeof was;
  int waits = !(fcntl(one->fd, F_GETFL) & O_NONBLOCK);
  if (waits && getsockopt(one->fd, SOL_SOCKET, SO_SNDTIMEO, &was, &size)) return -errno;
  if (waits) setsockopt(one->fd, SOL_SOCKET, SO_SNDTIMEO, &least, sizeof least);
  long value = connect(one->fd, (void *)&one->to, one->size) ? -errno : 0;
  if (waits) setsockopt(one->fd, SOL_SOCKET, SO_SNDTIMEO, &was, sizeof was);
  return value;
}

static int is_naming_call(int number) {
  return number == SYS_connect || number == SYS_bind || number == SYS_listen;
}

/* The address of a UNIX socket's file, as it is from here: that of what we hold of it. */
static long reach_socket_file(const Ask *ask, int fd, struct sockaddr_storage *at, socklen_t *size,
                              int *held) {
  struct sockaddr_un *to = (void *)at;
  struct path *path = given.path;
  int type = 0;
  socklen_t word = sizeof type;
  if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &word) || type != SOCK_DGRAM) return 0;
  if (!take_socket_path(ask->pid, at, *size)) return 0;
  long value = prepare_path(ask, path, 1, may_mean_own_process(path));
  if (value < 0) return value;
  if ((*held = open_as_process(path->use, path->name, 0, value > 0)) < 0 || fchdir(proc))
    return -errno;
  sprintf(to->sun_path, "self/fd/%d", *held), *size = sizeof *to;
  return 0;
}

/* What a message passes besides its data: descriptors become ours; who its sender is, cannot. */
static long take_passed_data(pid_t pid, struct msghdr *message, int fds[PASSED], int *count) {
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
      if ((words[i] = fds[*count] = share_descriptor(pid, words[i])) < 0) return -EBADF;
      ++*count;
    }
  }
  return 0;
}

/* One message, sent from our copy, which is shown if it names an address; `all` is its data where
   the call itself says where that lies. */
static long send_message(const Ask *ask, int fd, struct msghdr *message, const struct iovec *all,
                         int flags, Text *line) {
  static struct iovec parts[PARTS];
  static char data[DATAGRAM], control[CONTROL] __attribute__((aligned(8)));
  static struct sockaddr_storage to;
  size_t room = 0, size = message->msg_iovlen * sizeof *parts;
  pid_t pid = ask->pid;
  int named = message->msg_namelen, fds[PASSED], count = 0, held = -1;
  if (named < 0) return -EINVAL;
  message->msg_namelen = read_address(pid, (unsigned long)message->msg_name, named, &to, sizeof to);
  if (message->msg_name && message->msg_namelen) {
    append_address(line, (void *)&to, message->msg_namelen, 0);
  }
  if (message->msg_name && named && !message->msg_namelen) return -EFAULT;
  message->msg_name = message->msg_namelen ? &to : NULL;
  if (message->msg_iovlen > PARTS) return -EMSGSIZE;
  if (message->msg_controllen > CONTROL) return -ENOBUFS;
  if (all) parts[0] = *all;
  else if (size && read_memory(pid, (unsigned long)message->msg_iov, parts, size) != (ssize_t)size)
    return -EFAULT;
  for (size_t i = 0; i < message->msg_iovlen; room += parts[i++].iov_len) {
    size_t length = parts[i].iov_len;
    if (length > DATAGRAM - room) return -EMSGSIZE;
    unsigned long at = (unsigned long)parts[i].iov_base;
    if (length && read_memory(pid, at, data + room, length) != (ssize_t)length) return -EFAULT;
  }
  size = message->msg_controllen;
  if (size && read_memory(pid, (unsigned long)message->msg_control, control, size) != (ssize_t)size)
    return -EFAULT;
  struct iovec whole = {data, room};
  message->msg_iov = &whole, message->msg_iovlen = 1, message->msg_control = size ? control : NULL;
  long value = take_passed_data(pid, message, fds, &count);
  if (!value && message->msg_name)
    value = reach_socket_file(ask, fd, &to, &message->msg_namelen, &held);
  if (!value && !is_still_waiting(ask)) value = -EINTR;
  flags |= MSG_DONTWAIT | MSG_NOSIGNAL;
  if (!value && (value = all ? sendto(fd, data, room, flags, (void *)&to, message->msg_namelen)
                             : sendmsg(fd, message, flags)) < 0)
    value = -errno;
  while (count) close(fds[--count]);
  if (held >= 0) close(held);
  return value;
}

static long send_messages(const Ask *ask, int fd, Text *line) {
  const __u64 *args = ask->data.args;
  struct mmsghdr one = {0};
  struct msghdr *message = &one.msg_hdr;
  struct iovec part = {(void *)args[1], args[2]}, theirs;
  long value = 0, count = 0;
  if (ask->data.nr == SYS_sendto) {
    if ((unsigned)args[5] > sizeof(struct sockaddr_storage)) return -EINVAL;
    message->msg_name = (void *)args[4], message->msg_namelen = args[5], message->msg_iovlen = 1;
    return send_message(ask, fd, message, &part, (int)args[3], line);
  }
  if (ask->data.nr == SYS_sendmsg) {
    if (read_memory(ask->pid, args[1], message, sizeof *message) != sizeof *message) return -EFAULT;
    return send_message(ask, fd, message, NULL, (int)args[2], line);
  }
  for (long most = args[2] < PARTS ? args[2] : PARTS; count < most; count++) {
    unsigned long at = args[1] + count * sizeof one;
    if (read_memory(ask->pid, at, &one, sizeof one) != sizeof one) value = -EFAULT;
    else value = send_message(ask, fd, message, NULL, (int)args[3], line);
    if (value < 0) break;
    one.msg_len = value, part = (struct iovec){&one.msg_len, sizeof one.msg_len};
    theirs = (struct iovec){(char *)at + offsetof(struct mmsghdr, msg_len), sizeof one.msg_len};
    process_vm_writev(ask->pid, &part, 1, &theirs, 1, 0);
  }
  return count ? count : value;
}

/* Whether the address of a call, or none, can be another when the kernel reads it. */
static int may_address_change(const Ask *ask, int stream) {
  const __u64 *args = ask->data.args;
  struct msghdr message;
  if (stream || ask->data.nr == SYS_listen) return is_racy(ask->pid, 0, 0); /* it has none */
  if (ask->data.nr == SYS_sendto) return is_racy(ask->pid, args[4], args[5]);
  if (ask->data.nr == SYS_connect || ask->data.nr == SYS_bind)
    return is_racy(ask->pid, args[1], args[2]);
  return ask->data.nr == SYS_sendmmsg || is_racy(ask->pid, args[1], sizeof message) ||
         read_memory(ask->pid, args[1], &message, sizeof message) != sizeof message ||
         (message.msg_name &&
          is_racy(ask->pid, (unsigned long)message.msg_name, message.msg_namelen));
}

/* A message on a stream: its maker sends it by a call that takes no address from memory, so that
   none can be put there, nor another socket be put in this one's place. Whether that comes about.
 */
static int send_on_stream(const Ask *ask, int local, Text *line) {
  const __u64 *args = ask->data.args;
  struct msghdr message = {.msg_name = (void *)args[4], .msg_namelen = args[5]};
  struct sockaddr_storage to;
  struct iovec part;
  int flags = (int)args[2], whole = ask->data.nr == SYS_sendmsg;
  size_t empty = line->size;
  if (whole && read_memory(ask->pid, args[1], &message, sizeof message) != sizeof message) return 0;
  if (whole && (message.msg_controllen || flags & ~(MSG_NOSIGNAL | MSG_DONTWAIT))) return 0;
  if (whole &&
      read_memory(ask->pid, (unsigned long)message.msg_iov, &part, sizeof part) != sizeof part)
    return 0;
  if (whole && !part.iov_len) return 0; /* without a byte nothing would be written */
  if ((local && message.msg_name) || ask->data.nr == SYS_sendmmsg) return 0;
  size_t size =
      read_address(ask->pid, (unsigned long)message.msg_name, message.msg_namelen, &to, sizeof to);
  if (size) append_address(line, (void *)&to, size, 0);
  struct going *one = size ? tell_beginning(ask, line) : begin_going_call(ask);
  line->size = empty;
  if (!size) one->line.size = 0;
  if (!send_back_to_start(one, -1)) return 0;
  unsigned long vector[] = {SYS_pwritev2,
                            (unsigned long)message.msg_iov,
                            message.msg_iovlen,
                            -1,
                            0,
                            flags & MSG_DONTWAIT ? RWF_NOWAIT : 0};
  unsigned long bytes[] = {SYS_sendto, args[1], args[2], args[3], 0, 0};
  memcpy(one->instead, whole ? vector : bytes, sizeof one->instead);
  one->quiet = whole && flags & MSG_NOSIGNAL;
  answer_call(ask, AGAIN, 0);
  return 1;
}

/* Connections, names and messages of a socket: 0 where the kernel must do it. */
static int carry_out_socket_call(const Ask *ask, const struct call *call) {
  static Text line;
  static char where[PATH], real[SPOT];
  const __u64 *args = ask->data.args;
  struct going dial = {0}, *one = NULL;
  int domain = 0, type = 0, held = -1, number = ask->data.nr;
  int fd = given.file = share_descriptor(ask->pid, args[0]);
  socklen_t size = sizeof domain;
  long value = fd < 0 ? -EBADF : getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) ? -errno : 0;
  if (!value) value = getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) ? -errno : 0;
  int named = is_naming_call(number), pending = 0;
  int flags = named ? 0 : (int)args[number == SYS_sendmsg ? 2 : 3], stream = type == SOCK_STREAM;
  int inet = domain == AF_INET || domain == AF_INET6, local = domain == AF_UNIX;
  int binds = local && number == SYS_bind;
  size_t got = named && number != SYS_listen
                   ? read_address(ask->pid, args[1], (unsigned)args[2], &dial.to, sizeof dial.to)
                   : 0;
  if (!binds) release_paths();
  else if (!take_socket_path(ask->pid, &dial.to, got)) given.count = 0;
  if (!value && local && named && (number != SYS_connect || type != SOCK_DGRAM) &&
      !(binds && !(given.count && may_mean_own_process(given.path))))
    return 0;
  *where = 0, line.size = 0;
  if (fd >= 0) read_real_path(fd, where);
  append_format(&line, "%d\t%s", ask->pid, call->name), append_path(&line, "n", where);
  size_t empty = named ? 0 : line.size;
  if (!value && !binds && !(flags & MSG_FASTOPEN) && (!inet || (stream && !named))) {
    if (!may_address_change(ask, stream)) return 0;
    if (stream && send_on_stream(ask, local, &line)) return 1;
    if ((local && !named && credentials) || flags & MSG_ZEROCOPY) return note_incomplete(), 0;
  }
  dial.ask = *ask, dial.fd = fd;
  if (named) {
    if (number != SYS_listen) {
      append_address(&line, (void *)&dial.to, got, number == SYS_connect), dial.size = args[2];
      if (!value && !got && args[2]) value = -EFAULT;
      if (!value && !binds) value = reach_socket_file(ask, fd, &dial.to, &dial.size, &held);
    }
    if (binds && given.count) { /* from where the process is, so that the name is what it gave */
      append_call_path(&line, given.path), locate_path(ask, given.path, 0, real),
          append_path(&line, ">", real);
      umask(read_status_number(ask->pid, "\nUmask:", 8)), changes++;
      if (!value && given.path->folder >= 0 && fchdir(given.path->folder)) value = -errno;
    }
    if (!value && !is_still_waiting(ask)) value = -EINTR;
    if (!value && number == SYS_bind) value = bind(fd, (void *)&dial.to, dial.size) ? -errno : 0;
    else if (!value && number == SYS_listen) value = listen(fd, (int)args[1]) ? -errno : 0;
    else if (!value) value = read_connect_result(&dial);
    if (binds && chdir("/")) die("chdir");
    if (held >= 0) close(held);
    int slow = value == -EINPROGRESS || value == -EALREADY;
    pending = number == SYS_connect && slow && !(fcntl(fd, F_GETFL) & O_NONBLOCK);
  } else if (!value && !(flags & MSG_FASTOPEN && stream)) {
    value = send_messages(ask, fd, &line);
  } else {
    got = number == SYS_sendto ? read_address(ask->pid, args[4], args[5], &dial.to, sizeof dial.to)
                               : 0;
    if (got) append_address(&line, (void *)&dial.to, got, 0);
    if (number == SYS_sendmsg) append_message_address(&line, ask->pid, args[1]);
    if (!value) value = -EOPNOTSUPP; /* to send while connecting */
  }
  if (value == -EINTR && !pending) return ask_again(ask), 1;
  int waiting =
      value == -EAGAIN && !named && !(flags & MSG_DONTWAIT) && !(fcntl(fd, F_GETFL) & O_NONBLOCK);
  if (value == ITSELF || (waiting && (stream || !inet)) || (stream && value == -EMSGSIZE))
    return note_incomplete(), 0;
  if (pending) {
    one = tell_beginning(ask, &line), value = -EINTR;
    if (send_back_to_start(one, fd)) {
      one->dials = 1, one->to = dial.to, one->size = dial.size, given.file = -1;
      one->instead[0] = SYS_sendto, one->instead[3] = MSG_NOSIGNAL;
      one->instead[1] = one->instead[2] = one->instead[4] = one->instead[5] = 0;
      answer_call(ask, AGAIN, 0);
      return 1;
    }
    append_format(&line, "%d\tend\t%d", ask->pid, ask->pid), empty = 0;
  }
  drop_going_call(ask->pid);
  if (waiting && !ptrace(PTRACE_INTERRUPT, ask->pid, 0, 0)) {
    answer_call(ask, AGAIN,
                0); /* its buffer is full: it asks again, and between takes its signals */
  } else {
    if (line.size > empty) append_result(&line, value), write_line(&line);
    answer_call(ask, value, 0);
  }
  return 1;
}

/* What came of a call by the socket that it was about: its name, its peer's, whether it listens. */
static socklen_t read_socket_name(const struct going *one, struct sockaddr_storage *to) {
  socklen_t size = sizeof *to, on = 0, word = sizeof on;
  int number = one->ask.data.nr;
  if (number == SYS_listen)
    return !getsockopt(one->fd, SOL_SOCKET, SO_ACCEPTCONN, &on, &word) && on ? size : 0;
  int failed = number == SYS_bind ? getsockname(one->fd, (void *)to, &size)
                                  : getpeername(one->fd, (void *)to, &size);
  return failed || size <= sizeof(sa_family_t) ? 0 : size;
}

/* Hold the socket that a call is about until its end. */
static void hold_socket(struct going *one) {
  struct sockaddr_storage to;
  struct stat is;
  one->doubt = may_address_change(&one->ask, 0);
  if (given.file < 0 || fstat(given.file, &is)) return;
  one->fd = given.file, given.file = -1, one->socket = is.st_ino,
  one->known = read_socket_name(one, &to) > 0;
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
static void note_moved_socket(struct going *one, const char *real) {
  struct stat is;
  for (struct going *two = going; two; two = two->next)
    if (two != one && two->state == TOLD && two->ask.data.nr == SYS_bind) note_incomplete();
  if (strlen(real) >= PATH || !fstatat(AT_FDCWD, real, &is, AT_SYMLINK_NOFOLLOW)) note_incomplete();
  else strcpy(one->path, real);
}

/* The name that was given or met is told where another was read; where no one can say, that too. */
static void check_told_name(struct going *one) {
  static Text line;
  struct sockaddr_storage to;
  struct stat is;
  socklen_t size = one->socket && !one->known ? read_socket_name(one, &to) : 0;
  if (!one->doubt) return;
  if (one->ask.data.nr == SYS_bind && *one->path &&
      (changes != one->before || fstatat(AT_FDCWD, one->path, &is, AT_SYMLINK_NOFOLLOW) ||
       !S_ISSOCK(is.st_mode)))
    note_incomplete();
  line.size = 0;
  if (size && one->ask.data.nr == SYS_listen) return;
  if (size) append_address(&line, (void *)&to, size, 0);
  if (!line.size) {
    note_incomplete();
  } else if (!has_field(&one->line, &line)) {
    Text more = {0};
    append_format(&more, "%d\t%s", one->ask.pid, table[one->ask.data.nr].name);
    append_bytes(&more, line.data, line.size), append_result(&more, 0), write_line(&more),
        free(more.data);
  }
}

/* Everything that a listener or a stop can tell */

static void handle_call(const Ask ask) {
  static Text line;
  static char real[SPOT];
  struct stat file = {0};
  line.size = 0, is_doubtful = 0, may_follow_magic_links = 1;
  struct call *call = &table[ask.data.nr & (NUMBERS - 1)];
  struct going *one = find_going_call(ask.pid);
  int again = one && one->state == ENTERED && one->ask.data.nr == ask.data.nr;
  int speaks = !strcmp(call->kind, "connect") || !strcmp(call->kind, "bind") ||
               !strcmp(call->kind, "listen");
  if (one && one->state == LATE) { /* no signal was left for its maker: it asks again at once */
    long value = one->value;
    drop_going_call(ask.pid), answer_call(&ask, value, 0);
    return;
  }
  if (one && one->tries > STEPS) { /* signals come faster than it can be read */
    note_incomplete(), let_call_go_on(&ask);
    return;
  }
  read_call_texts(&ask, call);
  if (!is_still_waiting(&ask)) return ask_again(&ask);
  if (again && speaks) given.file = share_descriptor(ask.pid, ask.data.args[0]);
  if (!again && !strcmp(call->way, "done")) {
    int (*how)(const Ask *, const struct call *) = speaks ? carry_out_socket_call
                                                   : !strcmp(call->kind, "open") ? carry_out_open
                                                                                 : carry_out_change;
    if (how(&ask, call)) return;
  }
  int wanted = describe_call(&line, &ask, call);
  if (!is_still_waiting(&ask)) return ask_again(&ask);
  if (!strcmp(call->kind, "refused")) {
    answer_call(&ask, -EPERM, 0), append_result(&line, -EPERM), write_line(&line);
  } else if (!strcmp(call->kind, "mark")) {
    answer_call(&ask, 0, 1);
    if (memmem(line.data, line.size, "\tp/kit-", 7))
      append_result(&line, -ENOENT), write_line(&line);
  } else if (!strcmp(call->kind, "noted")) {
    if (ask.data.nr == SYS_setsockopt) credentials = 1;
    else is_shared = 1; /* by io_setup */
    answer_call(&ask, 0, 1);
  } else if (!wanted) {
    let_call_go_on(&ask);
  } else {
    if (given.count) {
      int follows = !memmem(line.data, line.size, "\tfNOFOLLOW", 10);
      if (!strcmp(call->kind, "bind")) append_call_path(&line, given.path), follows = 0;
      int held = locate_path(&ask, given.path, follows, real);
      append_path(&line, ">", real);
      if (held >= 0 && !fstat(held, &file)) append_inode(&line, &file);
      close(held);
    }
    one = tell_beginning(&ask, &line);
    /* Nobody sends a signal before the first program has begun, or changes what its starter says.
     */
    int first = !has_begun && S_ISREG(file.st_mode) && file.st_mode & 0111 && is_system_path(real);
    if (again || first) {
      one->state = TOLD, one->opens = !strcmp(call->kind, "open");
      one->file = file, one->before = changes;
      if (!strcmp(call->kind, "exec")) {
        strcpy(one->path, given.path[0].fd == AT_FDCWD ? given.path[0].text : "");
        one->doubt = !first && (is_shared || read_status_number(ask.pid, "\nThreads:", 10) != 1);
      } else if (is_naming_call(ask.data.nr)) {
        hold_socket(one);
        if (given.count && one->doubt) note_moved_socket(one, real);
      }
      if (!answer_call(&ask, 0, 1)) one->state = BROKEN, one->tries++;
    } else if (send_back_to_start(one, -1)) {
      one->doubt = is_doubtful;
      answer_call(&ask, AGAIN, 0);
    } else { /* signals come too fast: what comes of it stays open */
      note_incomplete(), let_call_go_on(&ask);
    }
  }
}

static void receive_call(void) {
  Ask ask = {0};
  if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &ask)) return; /* its maker is gone */
  handle_call(ask);
  release_paths(); /* nothing of a process is held longer than it would */
  if (given.file >= 0) close(given.file);
  given.file = -1;
}

static void handle_end(pid_t pid, int status) {
  Text line = {0};
  struct going *one = find_going_call(pid);
  int told = one && one->state == TOLD && strcmp(table[one->ask.data.nr].kind, "exec");
  if (told && one->socket) check_told_name(one);
  else if (told && one->doubt) note_incomplete(); /* what it opened, another may hold */
  drop_going_call(pid), take_kept_descriptor(pid, 0, NULL);
  if (WIFEXITED(status)) {
    append_format(&line, "%d\texited", pid);
  } else {
    const char *name = sigabbrev_np(WTERMSIG(status));
    append_format(&line, "%d\tkilled\tsSIG", pid);
    if (name) append_text(&line, name);
    else append_format(&line, "RT_%d", WTERMSIG(status) - 32);
  }
  write_line(&line), free(line.data);
}

/* The words with which a program began, as show_list shows them. */
static void append_command_line(Text *line, pid_t pid) {
  char name[32], part[CHUNK];
  sprintf(name, "%d/cmdline", pid);
  int fd = openat(proc, name, O_RDONLY | O_CLOEXEC), open = 0;
  for (ssize_t size; fd >= 0 && (size = read(fd, part, sizeof part)) > 0;)
    for (ssize_t i = 0; i < size && line->size < LISTED; i++) {
      if (!open) append_text(line, "\tw");
      if ((open = part[i] != 0)) append_escaped(line, part + i, 1);
    }
  if (fd >= 0) close(fd);
}

/* Whether the words that were read before are those with which it began: after the interpreter and
   the path of a script. */
static int is_as_told(const struct going *one, Text *words, int *script) {
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
  append_field(&tail, "w", one->path, strlen(one->path));
  if (rest) append_bytes(&tail, rest, end - rest);
  *script = words->size > tail.size &&
            !memcmp(words->data + words->size - tail.size, tail.data, tail.size);
  free(tail.data);
  return *script;
}

/* A program began: what it is is told, or where it is a script, what was there before. One that
   began by another path or with other words than were read before is told as it is. */
static void tell_program_start(pid_t pid, const struct going *one, Text *line) {
  static char text[PATH], exe[PATH];
  static Text list;
  struct stat is = {0}, there;
  unsigned long words[64], at = 0;
  char name[32];
  int script, fd;
  sprintf(name, "%d/exe", pid);
  fd = hold_proc_file(name), read_real_path(fd, exe);
  if (fd >= 0) fstat(fd, &is), close(fd);
  int found = is.st_ino && is.st_ino == one->file.st_ino && is.st_dev == one->file.st_dev;
  append_format(line, "%d\tend\t%d", pid, (int)one->ask.pid);
  if (found) append_path(line, ">", exe), append_inode(line, &is);
  append_result(line, 0), write_line(line);
  list.size = 0, append_command_line(&list, pid);
  int same = is_as_told(one, &list, &script) && *one->path;
  if (one->doubt && *one->path != '/' && script)
    note_incomplete();                                    /* its folder may have been another */
  if (!*one->path || (one->doubt && *one->path != '/')) { /* the file itself is told */
    strcpy(text, exe), same = 0;
  } else {
    sprintf(name, "%d/auxv", pid);
    fd = openat(proc, name, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? 0 : read(fd, words, sizeof words);
    if (fd >= 0) close(fd);
    for (ssize_t i = 0; i + 16 <= size; i += 16)
      if (words[i / 8] == AT_EXECFN) at = words[i / 8 + 1];
    long length = at ? read_text(pid, at, text, PATH) : 0;
    if (length <= 0 || length == PATH) strcpy(text, one->path);
    same = same && !strcmp(text, one->path);
  }
  if (same && !found && changes != one->before && !is_system_path(text))
    note_incomplete(); /* which script was it? */
  if (same || !*text) return;
  append_format(line, "%d\texecve", pid), append_field(line, "p", text, strlen(text));
  found = found || (*text == '/' && !fstatat(AT_FDCWD, text, &there, 0) &&
                    there.st_ino == is.st_ino && there.st_dev == is.st_dev);
  if (found) append_path(line, ">", exe);
  else if (strcmp(text, exe)) note_incomplete();
  append_bytes(line, list.data, list.size), append_result(line, 0), write_line(line);
}

/* The end of a call that went on. */
static void finish_call(struct going *one, long value) {
  static Text line;
  char real[PATH] = "";
  struct stat is;
  pid_t pid = one->ask.pid;
  if (one->dials) {
    if (value == -EAGAIN) value = -EINPROGRESS; /* its own limit of time */
    else if (value > BROKEN_OFF && value != -EINTR) {
      long now = read_connect_result(one);
      if (!value || value == -EPIPE) value = now;
    }
  }
  if (one->instead[0]) {
    one->registers.rax = value;
    ptrace(PTRACE_SETREGS, pid, 0, &one->registers);
  }
  if (value > BROKEN_OFF ||
      value < LAST_RESTART) { /* else a signal broke it off, and what came of it is open */
    if (one->opens && value >= 0) {
      read_descriptor_path(pid, (int)value, real);
      int fd = one->doubt ? hold_descriptor(pid, (int)value) : -1;
      if (fd >= 0 && !fstat(fd, &is) && !S_ISFIFO(is.st_mode))
        note_incomplete(); /* it was exchanged */
      if (fd >= 0) close(fd);
    } else if (value >= 0 && (one->socket || (one->doubt && !one->instead[0])))
      check_told_name(one);
    append_format(&line, "%d\tend\t%d", pid, pid);
    if (one->line.size)
      append_path(&line, ">", real), append_result(&line, value), write_line(&line);
    line.size = 0;
  }
  Ask ask = one->ask;
  one->state = PIPED;
  if (value != -EPIPE || !one->quiet) drop_going_call(pid);
  if (value <= BROKEN_OFF && value >= LAST_RESTART) begin_going_call(&ask)->state = GONE_ON;
}

/* A maker is at the beginning of its call, or of another in its place: one that dials sends no
   byte, so as to wait for the connection that we began. */
static void handle_call_entry(struct going *one) {
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

/* A signal broke off the question that a call asks: the call returns what was done for it, or
   begins again after the signal. One that went on returns what the kernel says, as ever. */
static void mend_interrupted_call(pid_t pid, const struct going *one) {
  struct user_regs_struct is;
  if (ptrace(PTRACE_GETREGS, pid, 0, &is) || (long)is.rax != BROKEN_OFF) return;
  if (is.orig_rax >= NUMBERS || !*table[is.orig_rax].name) return;
  if (is.orig_rax == SYS_sendto && !is.r8) return; /* it asks nothing */
  if (one && (one->state == TOLD || one->state == GONE_ON)) return;
  is.rax = AGAIN;
  if (one && one->state == LATE) is.rax = one->value, drop_going_call(pid);
  ptrace(PTRACE_SETREGS, pid, 0, &is);
}

static void handle_stop(pid_t pid, int status) {
  int event = status >> 16, number = WSTOPSIG(status), way = PTRACE_CONT;
  struct user_regs_struct registers;
  struct going *one = find_going_call(pid);
  unsigned long was;
  if (!event || event == PTRACE_EVENT_STOP)
    mend_interrupted_call(pid, one), one = find_going_call(pid);
  if (event == PTRACE_EVENT_EXEC) {
    ptrace(PTRACE_GETEVENTMSG, pid, 0, &was), has_begun = 1;
    if ((one = find_going_call(
             was))) { /* a thread that becomes a program has the number of the first */
      Text line = {0};
      tell_program_start(pid, one, &line);
      free(line.data), drop_going_call(was);
    }
    drop_going_call(pid);
  } else if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_CLONE ||
             event == PTRACE_EVENT_VFORK) {
    int parts = CLONE_FILES | CLONE_FS | (event == PTRACE_EVENT_VFORK ? 0 : CLONE_VM);
    if (!ptrace(PTRACE_GETREGS, pid, 0, &registers) && registers.orig_rax == SYS_clone)
      is_shared |= (registers.rdi & parts) && !(registers.rdi & CLONE_THREAD);
  } else if (event == PTRACE_EVENT_STOP && number != SIGTRAP) {
    ptrace(PTRACE_LISTEN, pid, 0, 0);
    return;
  } else if (event == PTRACE_EVENT_STOP) {
    if (one && one->state == ASKED) one->state = ENTERS, way = PTRACE_SYSCALL;
  } else if (!event && number == (SIGTRAP | 0x80)) {
    number = 0;
    if (one && one->state == TOLD) {
      if (!ptrace(PTRACE_GETREGS, pid, 0, &registers)) finish_call(one, registers.rax);
    } else if (one && one->state == ENTERS) {
      handle_call_entry(one), way = one->state == BROKEN ? PTRACE_CONT : PTRACE_SYSCALL;
    } else if (one && one->state == ENTERED) {
      one->state = BROKEN, one->tries++; /* it never asked, or is to ask anew */
    }
  } else if (!event && one && one->state == PIPED) {
    if (number == SIGPIPE) number = 0, drop_going_call(pid);
  } else if (!event && one && one->state < TOLD) {
    one->state = BROKEN, one->tries++; /* a signal comes first; then the call asks anew */
  }
  ptrace(way, pid, 0, event ? 0 : number);
}

/* Whether processes are left. */
static int handle_child_changes(void) {
  int status;
  for (;;) {
    pid_t pid = waitpid(-1, &status, __WALL | WNOHANG);
    if (pid <= 0) return pid == 0 || errno != ECHILD;
    if (WIFSTOPPED(status)) handle_stop(pid, status);
    else handle_end(pid, status);
  }
}

/* Into the box, as far as files and names go; its processes cannot see or reach ours. */
static void enter_box(pid_t init, int process) {
  char name[32];
  sprintf(name, "%d/ns/mnt", init);
  int mounts = openat(proc, name, O_RDONLY | O_CLOEXEC), rest = CLONE_NEWIPC | CLONE_NEWUTS;
  int users = mounts < 0 ? -1 : ioctl(mounts, NS_GET_USERNS);
  if (users < 0 || setns(users, CLONE_NEWUSER)) die("user namespace");
  if (setns(process, rest | CLONE_NEWNS | CLONE_NEWNET) && setns(process, rest | CLONE_NEWNS))
    die("mount namespace");
  close(mounts), close(users);
  use_ptrace_right(0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/* What the first program's process tells before it begins: the listener's number, and who it is. */
static int receive_greeting(int link, int *number, pid_t *first) {
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

static int watch_box(pid_t init, int link) {
  int options = PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
                PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD;
  int process = syscall(SYS_pidfd_open, init, 0), number;
  pid_t first;
  sigset_t ends;
  if (process < 0) die("pidfd_open");
  sigemptyset(&ends), sigaddset(&ends, SIGCHLD), sigprocmask(SIG_BLOCK, &ends, NULL);
  if (!receive_greeting(link, &number, &first)) return 1;
  enter_box(init,
            process); /* not before: while bwrap still works, the old root lies over the new */
  close(process), process = syscall(SYS_pidfd_open, first, 0);
  listener = syscall(SYS_pidfd_getfd, process, number, 0);
  if (process < 0 || listener < 0) die("pidfd_getfd");
  if ((descriptors = openat(proc, "self/fd", O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0) die("/proc");
  if (ptrace(PTRACE_SEIZE, init, 0, options)) die("ptrace");
  if (ptrace(PTRACE_SEIZE, first, 0, options)) die("ptrace");
  ioctl(listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
  /* it wakes when its makers wait, not before: half as many changes between them */
  sched_setscheduler(0, SCHED_BATCH, &(struct sched_param){0});
  struct pollfd sources[2] = {{listener, POLLIN, 0},
                              {signalfd(-1, &ends, SFD_NONBLOCK), POLLIN, 0}};
  struct signalfd_siginfo told;
  if (write(link, "", 1) != 1) die("link");
  for (int left = 1; left;) {
    if (poll(sources, 2, -1) < 0 && errno != EINTR) die("poll");
    if (sources[1].revents) {
      while (read(sources[1].fd, &told, sizeof told) > 0) continue;
      left = handle_child_changes();
    }
    if (sources[0].revents & POLLIN) receive_call();
    else if (sources[0].revents) sources[0].fd = -1;
  }
  flush_trace();
  return 0;
}

static void read_table(char *text) {
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
    struct call one;
    int number;
    if (sscanf(line, "%d %23s %11s %11s %11s %11s", &number, one.name, one.kind, one.shape,
               one.reads, one.way) != 6 ||
        number < 0 || number >= NUMBERS)
      die("table");
    table[number] = one;
  }
}

/* A message: the pid of a box's first process, and the socket to it. */
static int receive_box(int control, pid_t *init) {
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
  read_table(words[3]);
  if ((proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0) die("/proc");
  pid_t launcher = fork();
  if (!launcher) execv(words[4], words + 4), die(words[4]);
  for (;;) {
    int link = receive_box(control, &init);
    pid_t watcher = fork();
    if (!watcher) _exit(watch_box(init, link));
    close(link);
    while (waitpid(watcher, &status, 0) < 0)
      if (errno != EINTR) die("wait");
    if (write(control, &status, sizeof status) < 0) die("answer");
  }
}
