#include "program.c"

int test_each_option(void) {
    const char *options = "rw,noexec,user=ann";
    return !(has_option(options, "rw") == 1 && has_option(options, "noexec") == 1 && has_option(options, "user=ann") == 1);
}

int test_no_such_option(void) { return has_option("rw,noexec", "ro") != 0; }

int test_a_part_of_an_option(void) { return has_option("rw,noexec", "exec") != 0 || has_option("rw,noexec", "no") != 0; }

int test_one_option(void) { return !(has_option("rw", "rw") == 1 && has_option("rw", "w") == 0); }
