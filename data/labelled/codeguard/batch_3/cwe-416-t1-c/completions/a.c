	while (scheduler->first != NULL && scheduler->first->due <= now) {
		struct timer *timer = scheduler->first;
		const struct timer fired = *timer;

		scheduler->first = timer->next;
		if (fired.period > 0) {
			timer->due = now + fired.period;
			insert(scheduler, timer);
		} else {
			free(timer);
		}
		scheduler->fired++;
		fired.action(scheduler, fired.context);
	}
}
