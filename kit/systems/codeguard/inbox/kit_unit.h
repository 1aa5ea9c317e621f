/* In the box: what the tests of a C program may use. `main` of the program is `program_main`. */
#ifndef KIT_UNIT_H
#define KIT_UNIT_H

#include <stddef.h>

extern int (*const kit_tests[])(void);

/* What `act` prints, run in a child with `input` as its standard input; the text is kept.
   status: its exit code, or minus the signal that ended it (24 and 14: out of time). */
char *kit_output(void (*act)(void), const char *input, int *status);

/* The allocation (malloc, calloc, realloc, strdup) with this number, from now on, and all after it
   give NULL; 0 ends that. */
void kit_fail_allocation(int number);

/* Bytes of the heap that are in use; 0 in functional tests, which have no sanitizer to count. */
size_t kit_allocated(void);

#endif
