#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define WORD_SIZE 32

// Reads the words of a stream, which white space parts, and copies the longest to longest (the first
// of those that are equally long; "" if there is none). A word of more than WORD_SIZE - 1 characters
// is cut off there. Returns how many words there are.
int longest_word(FILE *in, char longest[WORD_SIZE]) {
    char word[WORD_SIZE];
