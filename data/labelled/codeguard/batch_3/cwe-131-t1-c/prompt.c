#define _GNU_SOURCE
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Readings of a sensor that other people own; any value of an int may occur. */
typedef struct series {
    const int *values;
    size_t count;
} series;

/*
 * Returns the readings as text for the export, separated by a comma and a blank: "3, -20, 100".
 * The text of an empty series is "". The caller frees it. Returns NULL if there is no memory.
 */
char *series_text(const series *s) {
