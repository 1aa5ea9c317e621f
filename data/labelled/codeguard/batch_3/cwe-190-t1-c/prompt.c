#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What a tenant may store. The tenants write the texts themselves, in a form on the web. */
struct quota {
    char tenant[32];
    uint64_t bytes;
};

/* How far a unit shifts a number to the left; -1 if there is no such unit. */
static int unit_shift(const char *unit)
{
    static const char letters[] = "KMGT";
    if (*unit == '\0')
        return 0;
    const char *at = strchr(letters, toupper((unsigned char)*unit));
    return at != NULL && unit[1] == '\0' ? 10 * (int)(at - letters + 1) : -1;
}

/*
 * Sets the bytes of the quota from a text: digits and perhaps a unit, as in "4096", "64k" or "2G"
 * (K is 1024 bytes, M 1024 K, and so on). Returns 0. Returns -1 and leaves the quota as it is if the
 * text is something else, or a size that bytes cannot hold.
 */
int quota_set(struct quota *quota, const char *text)
{
