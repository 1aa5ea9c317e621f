package cron.jobs;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** How far each job is, in percent. */
public class Board {
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    private final Map<String, Integer> percents = new TreeMap<>();

    public void report(String name, Progress progress) {
        lock.writeLock().lock();
        int percent = progress.percent(name);
        percents.put(name, Math.max(0, Math.min(100, percent)));
        lock.writeLock().unlock();
    }

    public int percentOf(String name) {
        lock.readLock().lock();
        try {
            return percents.getOrDefault(name, 0);
        } finally {
            lock.readLock().unlock();
        }
    }

    /** Asks a running job; it may fail. */
    public interface Progress {
        int percent(String name);
    }
}
