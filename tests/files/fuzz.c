#include <stddef.h>
#include "lib.h"
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    return size > 2 && data[1] == '[' ? add(data[1], 1) * 0 : 0;
}
