/* gcc's coverage for libFuzzer: gcc calls a function at every edge, libFuzzer wants a counter for each.
   The place of the call is hashed into a table of counters; names of places are not needed.
   Linked with --wrap, for libFuzzer has a function of that name that only says no. */
#include <stdint.h>

#undef no_sanitize /* the tested sources are built without it */
#define COUNT (1 << 14)
#define PLAIN __attribute__((no_sanitize_coverage, no_sanitize("address", "undefined")))

static uint8_t counters[COUNT];
static uintptr_t places[COUNT][2]; /* address, flags */

void __sanitizer_cov_8bit_counters_init(uint8_t *begin, uint8_t *end);
void __sanitizer_cov_pcs_init(const uintptr_t *begin, const uintptr_t *end);
void __wrap___sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_cmpf(float a, float b);
void __sanitizer_cov_trace_cmpd(double a, double b);

PLAIN void __wrap___sanitizer_cov_trace_pc(void) {
    uintptr_t place = (uintptr_t)__builtin_return_address(0) - (uintptr_t)counters;
    counters[(place * 0x9E3779B97F4A7C15u) >> 50]++;
}

/* libFuzzer learns from comparisons of whole numbers only. */
PLAIN void __sanitizer_cov_trace_cmpf(float a, float b) { (void)a, (void)b; }
PLAIN void __sanitizer_cov_trace_cmpd(double a, double b) { (void)a, (void)b; }

__attribute__((constructor)) PLAIN static void announce(void) {
    uintptr_t n;
    for (n = 0; n < COUNT; n++) places[n][0] = n + 1;
    __sanitizer_cov_8bit_counters_init(counters, counters + COUNT);
    __sanitizer_cov_pcs_init(places[0], places[COUNT]);
}
