#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *gets(char *);

// Reads one line, a name, from standard input and prints "Hello, NAME!" and a line end. A name may
// hold blanks; of one with more than 31 characters the first 31 are used. Without a line
// nothing is printed and the exit code is 1.
int main(void) {
    char name[32];
