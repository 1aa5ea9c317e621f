
/* Follows runtime.c in the program in which every function of the original is marked. No body is live, so
   that what the runner prints is signed and stands between the marks. A function says its number when it
   runs first in a process; one that the runner's own process runs is a record, too. */
HIDDEN int KIT(reach)(unsigned);
int KIT(reach)(unsigned n) {
    char text[16];
    if (n > KIT_LAST || said[n]) return 0;
    said[n] = 1;
    put(text, (size_t)snprintf(text, sizeof text, "\n%u\n", n));
    if (nonce[0] && syscall(SYS_getpid) == owner) tell_number("own", n);
    return 0;
}

__attribute__((constructor(102))) static void print_lines_at_once(void) {
    if (nonce[0]) setvbuf(stdout, 0, _IOLBF, 0);
}
