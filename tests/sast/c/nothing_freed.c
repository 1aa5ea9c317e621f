#include <stdlib.h>

int main(void) {
    int *numbers = calloc(10, sizeof(int)); // finds: c-never-freed c-frees-nothing
    if (numbers == NULL) {
        return 1;
    }
    return numbers[3];
}
