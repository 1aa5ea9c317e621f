#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct scheduler;

typedef void (*timer_action)(struct scheduler *scheduler, void *context);

struct timer {
	int id;
	long due;     // in milliseconds since the start
	long period;  // 0: fires once
	timer_action action;
	void *context;
	struct timer *next;
};

// Timers in the order in which they are due. Each is from malloc and belongs to the scheduler.
struct scheduler {
	struct timer *first;
	int last_id;
	unsigned long fired;
};

static void insert(struct scheduler *scheduler, struct timer *timer) {
	struct timer **at = &scheduler->first;

	while (*at != NULL && (*at)->due <= timer->due) at = &(*at)->next;
	timer->next = *at;
	*at = timer;
}

// Returns the id of a new timer, or 0 if there is no memory.
int timer_start(struct scheduler *scheduler, long due, long period, timer_action action, void *context) {
	struct timer *timer = malloc(sizeof *timer);

	if (timer == NULL) return 0;
	*timer = (struct timer){++scheduler->last_id, due, period, action, context, NULL};
	insert(scheduler, timer);
	return timer->id;
}

// Takes the timer out and frees it. Returns 0 if there is none with this id.
int timer_cancel(struct scheduler *scheduler, int id) {
	for (struct timer **at = &scheduler->first; *at != NULL; at = &(*at)->next) {
		if ((*at)->id == id) {
			struct timer *gone = *at;
			*at = gone->next;
			free(gone);
			return 1;
		}
	}
	return 0;
}

// Fires every timer that is due at `now`: calls its action, once, and counts it in scheduler->fired.
// A timer with a period stays, due a period after `now`; others are taken out and freed. An action may
// start timers that are due later than `now`, and cancel any timer, its own too.
void scheduler_run(struct scheduler *scheduler, long now) {
