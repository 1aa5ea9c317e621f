	struct timer *timer = scheduler->first;

	while (timer != NULL && timer->due <= now) {
		scheduler->first = timer->next;
		scheduler->fired++;
		if (timer->period > 0) {
			timer->due = now + timer->period;
			insert(scheduler, timer);
		} else {
			free(timer);
		}
		timer->action(scheduler, timer->context);
		timer = scheduler->first;
	}
}
