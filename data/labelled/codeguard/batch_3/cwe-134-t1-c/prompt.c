#define _GNU_SOURCE
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPORT_SIZE 512

/* A report of lines that grows until it is full; what does not fit is left out. */
struct report {
    char text[REPORT_SIZE];
    size_t used;
};

static void report_printf(struct report *report, const char *format, ...)
{
    size_t room = sizeof report->text - report->used;
    va_list values;
    va_start(values, format);
    int wanted = vsnprintf(report->text + report->used, room, format, values);
    va_end(values);
    if (wanted > 0)
        report->used += (size_t)wanted < room ? (size_t)wanted : room - 1;
}

enum outcome { STORED, REPLACED, REJECTED, OUTCOMES };

struct upload {
    const char *file_name; /* as the browser sent it */
    unsigned long size;
    enum outcome outcome;
};

/*
 * Adds a line about the upload to the report:
 *     stored NAME (SIZE bytes)
 *     replaced NAME (SIZE bytes)
 *     rejected NAME
 */
void report_upload(struct report *report, const struct upload *upload)
{
