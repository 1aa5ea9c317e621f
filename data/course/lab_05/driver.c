#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int FUNCTION(const char *text, char *out, int size);

int main(int count, char **words)
{
    int size = atoi(words[2]);
    char *text = malloc(strlen(words[1]) + 1), *out = malloc(size > 0 ? size : 1);
    (void)count;
    strcpy(text, words[1]);
    int length = FUNCTION(text, out, size);
    printf("%d ", length);
    for (int i = 0; i < length; i++)
        printf("%02x", (unsigned char)out[i]);
    puts("");
    return 0;
}
