	struct timer *timer, *next;

	for (timer = scheduler->first; timer != NULL && timer->due <= now; timer = next) {
		next = timer->next;
		scheduler->first = next;
		timer->next = NULL;
		timer->action(scheduler, timer->context);
		scheduler->fired += 1;
		if (timer->period == 0) {
			free(timer);
			continue;
		}
		timer->due = now + timer->period;
		insert(scheduler, timer);
	}
}
