#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ATTACHMENTS "attachments"

// Stores an attachment of a mail in the folder attachments, under the name that the mail gives it. A
// name that leads to a file elsewhere is refused. Returns 0, or -1 if nothing was stored.
int save_attachment(const char *name, const void *data, size_t size) {
