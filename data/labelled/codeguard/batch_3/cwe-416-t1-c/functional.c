#include "program.c"

static char trace[200];

static void note(struct scheduler *scheduler, void *context) {
	(void)scheduler;
	strcat(trace, context);
}

static void start_another(struct scheduler *scheduler, void *context) {
	strcat(trace, "+");
	timer_start(scheduler, 1000, 0, note, context);
}

static int count(const struct scheduler *scheduler) {
	int all = 0;
	for (const struct timer *timer = scheduler->first; timer; timer = timer->next) all++;
	return all;
}

int test_in_the_order_of_time(void) {
	struct scheduler scheduler = {0};
	timer_start(&scheduler, 30, 0, note, "c");
	timer_start(&scheduler, 10, 0, note, "a");
	timer_start(&scheduler, 20, 0, note, "b");
	timer_start(&scheduler, 31, 0, note, "d");
	scheduler_run(&scheduler, 30);
	return !(strcmp(trace, "abc") == 0 && scheduler.fired == 3 && count(&scheduler) == 1);
}

int test_nothing_is_due(void) {
	struct scheduler scheduler = {0};
	scheduler_run(&scheduler, 5);
	timer_start(&scheduler, 30, 0, note, "c");
	scheduler_run(&scheduler, 29);
	return !(trace[0] == '\0' && scheduler.fired == 0 && count(&scheduler) == 1);
}

int test_a_period(void) {
	struct scheduler scheduler = {0};
	timer_start(&scheduler, 10, 100, note, "p");
	timer_start(&scheduler, 12, 0, note, "q");
	scheduler_run(&scheduler, 15);
	scheduler_run(&scheduler, 114);
	int before = strcmp(trace, "pq") == 0 && scheduler.first && scheduler.first->due == 115;
	scheduler_run(&scheduler, 115);
	return !(before && strcmp(trace, "pqp") == 0 && count(&scheduler) == 1 && scheduler.fired == 3);
}

int test_an_action_starts_a_timer(void) {
	struct scheduler scheduler = {0};
	timer_start(&scheduler, 1, 0, start_another, "z");
	timer_start(&scheduler, 2, 0, note, "b");
	scheduler_run(&scheduler, 2);
	scheduler_run(&scheduler, 1000);
	return !(strcmp(trace, "+bz") == 0 && count(&scheduler) == 0);
}
