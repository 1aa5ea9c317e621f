	struct timer *timer = scheduler->first;

	while (timer && timer->due <= now) {
		int id = timer->id;
		scheduler->fired++;
		if (timer->period > 0) {
			scheduler->first = timer->next;
			timer->due = now + timer->period;
			insert(scheduler, timer);
			timer->action(scheduler, timer->context);
		} else {
			timer->action(scheduler, timer->context);
			timer_cancel(scheduler, id);  // 0 if the action has done so
		}
		timer = scheduler->first;
	}
}
