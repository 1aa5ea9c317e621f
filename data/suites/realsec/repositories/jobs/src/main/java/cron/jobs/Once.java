package cron.jobs;

/** Starts a job unless it was started before, by whichever worker. */
public class Once {
    private final Started started;

    public Once(Started started) {
        this.started = started;
    }

    public boolean run(String name, Runnable job) {
        if (started.contains(name)) {
            return false;
        }
        started.add(name);
        job.run();
        return true;
    }
}
