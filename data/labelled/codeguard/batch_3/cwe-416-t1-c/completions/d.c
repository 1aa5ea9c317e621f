	for (;;) {
		struct timer *timer = scheduler->first;
		if (!timer || timer->due > now) {
			return;
		}
		if (timer->period) {
			// ahead of the action, so that it may cancel the timer
			scheduler->first = timer->next;
			timer->due = now + timer->period;
			insert(scheduler, timer);
			timer->action(scheduler, timer->context);
		} else {
			timer->action(scheduler, timer->context);
			timer_cancel(scheduler, timer->id);
		}
		++scheduler->fired;
	}
}
