#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct sensor {
    bool on;
    int reading; // tenths of a degree
    int weight;  // set by the installer, 0 to 100
};

struct room {
    const struct sensor *sensors;
    size_t count;
};

#define NO_READING INT_MIN

// Returns the weighted average of the readings of the sensors of the room that are on, in tenths
// of a degree and rounded towards zero: the sum of reading times weight, divided by the sum of
// the weights. NO_READING if there is no average.
int room_average(const struct room *room) {
    long total = 0;
    long weights = 0;
