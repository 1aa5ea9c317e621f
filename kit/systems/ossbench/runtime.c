/* Linked into every tested program: the switches of the edits, and the witness of what it says.

   What the runner prints goes to the channel in records that begin with the run's nonce; what is
   printed while an edited body is live, by another thread, or after the end goes to plain stdout,
   which nobody reads results from. The runner's own end is such a record too: `main` returns, or
   calls exit itself, or Tcl's library does. An exit out of an edit is another record; an exit that
   anything else calls, _exit, abort and exec leave none. Sanitizers report to a high copy of the
   channel. A program of the test suite that starts without a nonce (a child) keeps its stdout.
   Not held: machine code that searches its own memory for the nonce. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096
#define HIDDEN __attribute__((visibility("hidden")))
#define HIGH 480 /* below the box's limit of 512 descriptors */
#define NONCE 32

/* The switches lie alone on their pages, which are read-only once they are set. */
HIDDEN __attribute__((aligned(PAGE))) unsigned char KIT(switch)[(KIT_LAST / PAGE + 1) * PAGE];
static __attribute__((aligned(PAGE))) unsigned char said[KIT_LAST + 1];
static char nonce[NONCE + 1];
static int channel = -1, reports = -1;
static pid_t owner; /* the first thread */
static char *bottom; /* the frame below `main` */
static int over; /* the runner has ended */
static unsigned undefined; /* reports of UBSan in this process */
static __thread char *outer; /* the frame of the outermost live edited body */
static __thread unsigned inside; /* and its number */

HIDDEN int KIT(enter)(unsigned, void *);
HIDDEN void KIT(leave)(int *);
void __real___sanitizer_set_report_fd(void *);
void *__real_dlsym(void *, const char *);
ssize_t __interceptor_write(int, const void *, size_t) __attribute__((weak));

static void put(const char *text, size_t size) {
    if (channel >= 0 && syscall(SYS_write, channel, text, size) < 0) channel = -1;
}

static void tell(const char *kind, const char *data, size_t size) {
    do {
        char text[PAGE];
        size_t part = size < PAGE - 100 ? size : PAGE - 100;
        int head = snprintf(text, 100, "\n%s %s %zu\n", nonce, kind, part);
        memcpy(text + head, data, part);
        put(text, (size_t)head + part);
        data += part;
        size -= part;
    } while (size);
}

static void tell_number(const char *kind, unsigned n) {
    char text[16];
    tell(kind, text, (size_t)snprintf(text, sizeof text, "%u", n));
}

static int witness(void) { return nonce[0] && !over && syscall(SYS_gettid) == owner; }

/* Bytes for stdout: the runner's are signed; those of an edit, a thread or a child go out as they are. */
static ssize_t hear(const char *data, size_t size) {
    if (outer || !witness()) return syscall(SYS_write, 1, data, size);
    tell("out", data, size);
    return (ssize_t)size;
}

static ssize_t heard(void *cookie, const char *data, size_t size) {
    (void)cookie;
    return hear(data, size);
}

ssize_t write(int fd, const void *data, size_t size) {
    if (fd == 1 && size && witness()) return hear(data, size);
    if (__interceptor_write) return __interceptor_write(fd, data, size);
    return syscall(SYS_write, fd, data, size);
}

static void flush(void) {
    if (nonce[0] && __fpending(stdout)) fflush(stdout);
}

/* An edited body begins, in this frame. The first time it says so, by its number. */
int KIT(enter)(unsigned n, void *frame) {
    if (n <= KIT_LAST && !said[n]) {
        char text[16];
        said[n] = 1;
        put(text, (size_t)snprintf(text, sizeof text, "\n%u\n", n));
    }
    if (outer) return 0;
    flush();
    inside = n;
    outer = frame;
    return 1;
}

void KIT(leave)(int *first) {
    if (!*first) return;
    flush();
    outer = 0;
}

/* A jump out of the frame of the outermost edit leaves it; glibc hides the stack's place a little. */
static void jumping(struct __jmp_buf_tag *to) {
    uintptr_t place = (uintptr_t)to->__jmpbuf[6];
    __asm__("ror $17, %0; xor %%fs:0x30, %0" : "+r"(place));
    if (outer && place > (uintptr_t)outer) {
        flush();
        outer = 0;
    }
}

#define JUMP(name)                                              \
    void __real_##name(struct __jmp_buf_tag *, int);            \
    void __wrap_##name(struct __jmp_buf_tag *to, int value);    \
    void __wrap_##name(struct __jmp_buf_tag *to, int value) {   \
        jumping(to);                                            \
        __real_##name(to, value);                               \
        __builtin_unreachable();                                \
    }
JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)

/* What would take the sanitizers' reports away does nothing but leave a word. */
#define KEPT(name)                                             \
    void __wrap_##name(void *);                                \
    void __wrap_##name(void *given) {                          \
        (void)given;                                           \
        tell("reach", #name, sizeof #name - 1);                \
    }
KEPT(__sanitizer_set_report_path)
KEPT(__sanitizer_set_report_fd)
KEPT(__asan_set_error_report_callback)
KEPT(__lsan_disable)

void *__wrap_dlsym(void *library, const char *name);
void *__wrap_dlsym(void *library, const char *name) {
    static const char *kept[] = {"__sanitizer_set_", "__asan_set_", "__lsan_", "pthread_create",
                                 "thrd_create", "timer_create", "clone"};
    unsigned n = 0;
    while (n < sizeof kept / sizeof *kept && strncmp(name, kept[n], strlen(kept[n]))) n++;
    if (n == sizeof kept / sizeof *kept) return __real_dlsym(library, name);
    tell("reach", name, strlen(name) < 60 ? strlen(name) : 60);
    return 0;
}

/* The libraries of the sanitizers get a descriptor of their own, for they may close it. */
static void report_here(void) {
    if (channel < 0) return;
    if (syscall(SYS_fcntl, reports, F_GETFD) < 0)
        reports = (int)syscall(SYS_fcntl, channel, F_DUPFD_CLOEXEC, HIGH);
    __real___sanitizer_set_report_fd((void *)(intptr_t)reports);
}

/* UBSan's own library forgets what was set when it begins, with its first report, and makes ASan's
   forget it too; it asks here before it prints one. */
void __ubsan_on_report(void);
void __ubsan_on_report(void) {
    static void (*set)(void *);
    void *library;
    undefined++;
    report_here();
    if (!set && (library = dlopen("libubsan.so.1", RTLD_NOLOAD | RTLD_NOW)))
        *(void **)&set = __real_dlsym(library, "__sanitizer_set_report_fd");
    if (set && channel >= 0) set((void *)(intptr_t)reports);
}

static void finish(void) {
    if (witness() && outer) tell_number("exit", inside);
}

static void end(void) {
    if (!witness() || outer) return;
    flush();
    tell_number("end", undefined);
    over = 1;
}

int __real_main(int, char **, char **);
int __wrap_main(int, char **, char **);
int __wrap_main(int argc, char **argv, char **envp) {
    int status;
    bottom = __builtin_frame_address(0);
    status = __real_main(argc, argv, envp);
    end();
    return status;
}

/* `exit` may be a hook that an edit left, so its caller is looked at: a call of main's own returns into
   main and stands right above `bottom`. */
void exit(int status) {
    char **frame = __builtin_frame_address(0), *back = __builtin_return_address(0);
    uintptr_t into = (uintptr_t)back - (uintptr_t)__real_main;
    void (*leave)(int) __attribute__((noreturn));
    Dl_info from;
    *(void **)&leave = __real_dlsym(RTLD_NEXT, "exit");
    if (dladdr(back, &from) && strstr(from.dli_fname, "/libtcl"))
        end();
    else if (into < 1 << 20 && *(char **)*frame == bottom)
        end();
    leave(status);
}

/* A thread that an edit begins could print in the runner's turn. */
#define BEGUN(name, arguments, given)             \
    int __real_##name arguments;                  \
    int __wrap_##name arguments;                  \
    int __wrap_##name arguments {                 \
        if (outer) tell("reach", #name, sizeof #name - 1); \
        return __real_##name given;               \
    }
BEGUN(pthread_create, (void *a, void *b, void *c, void *d), (a, b, c, d))
BEGUN(thrd_create, (void *a, void *b, void *c), (a, b, c))
BEGUN(timer_create, (int a, void *b, void *c), (a, b, c))
BEGUN(clone, (void *a, void *b, int c, void *d, void *e, void *f, void *g), (a, b, c, d, e, f, g))

/* "NAME=rest" -> rest, or null. */
static char *value(char *line, const char *name) {
    while (*name && *line == *name) line++, name++;
    return *name || *line != '=' ? 0 : line + 1;
}

/* Before any constructor of an edit could run: the nonce is taken out of the environment. */
static void begin(int argc, char **argv, char **envp) {
    char **kept = envp, *found;
    (void)argc, (void)argv;
    owner = (pid_t)syscall(SYS_getpid);
    for (; *envp; envp++) {
        unsigned n = 0;
        if ((found = value(*envp, "KIT_NONCE"))) {
            for (; *found && n < NONCE; n++, found++) nonce[n] = *found, *found = 'x';
            continue;
        }
        *kept++ = *envp;
        if ((found = value(*envp, "KIT_CHANNEL")) && *found >= '0' && *found <= '9') {
            for (; *found; found++) n = 10 * n + (unsigned)(*found - '0');
            channel = (int)syscall(SYS_fcntl, n, F_DUPFD_CLOEXEC, HIGH);
        }
        if ((found = value(*envp, "KIT_EDITS")))
            for (; *found; found++) {
                if (*found == ',') {
                    if (n <= KIT_LAST) KIT(switch)[n] = 1;
                    n = 0;
                } else
                    n = 10 * n + (unsigned)(*found - '0');
            }
    }
    *kept = 0;
    mprotect(KIT(switch), sizeof KIT(switch), PROT_READ);
}

__attribute__((section(".preinit_array"), used)) static void (*const first)(int, char **, char **) =
    begin;

__attribute__((constructor(101))) static void ready(void) {
    cookie_io_functions_t ours = {0};
    report_here();
    pthread_atfork(0, 0, report_here);
    atexit(finish);
    if (!nonce[0]) return;
    ours.write = heard;
    stdout = fopencookie(0, "w", ours);
}
