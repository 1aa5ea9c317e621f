#include "program.c"

static int is(const char *text, uint64_t bytes) {
    struct quota quota = {"acme", 77};
    return quota_set(&quota, text) == 0 && quota.bytes == bytes && strcmp(quota.tenant, "acme") == 0;
}

static int refused(const char *text) {
    struct quota quota = {"acme", 77};
    return quota_set(&quota, text) == -1 && quota.bytes == 77;
}

int test_digits(void) { return !(is("0", 0) && is("4096", 4096) && is("123456789012", 123456789012)); }

int test_units(void) {
    return !(is("64k", 65536) && is("1K", 1024) && is("3M", 3145728) && is("2G", 2147483648) && is("5t", 5497558138880));
}

int test_a_large_size(void) { return !is("4000T", 4398046511104000); }

int test_something_else(void) {
    return !(refused("") && refused("k") && refused("-1") && refused("5X") && refused("5KB") && refused("ten"));
}
