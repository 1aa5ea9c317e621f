#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define TOKEN_LENGTH 32

// Writes a fresh token, TOKEN_LENGTH hexadecimal digits in lower case and a closing zero, which
// then stands for a visitor who has logged in. Returns 0, or -1 if no token can be made.
int session_token(char token[TOKEN_LENGTH + 1]) {
