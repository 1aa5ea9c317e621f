package cron.jobs;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** Jobs that wait; several workers take from it. */
public class JobQueue {
    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Job> waiting = new ArrayDeque<>();
    private final int capacity;

    public JobQueue(int capacity) {
        this.capacity = capacity;
    }

    public void add(Job job) {
        lock.lock();
        if (waiting.size() >= capacity) {
            throw new IllegalStateException("the queue is full");
        }
        waiting.addLast(job);
        lock.unlock();
    }

    /** The next job, or null if there is none or the queue is busy for a second. */
    public Job next() throws InterruptedException {
        if (!lock.tryLock(1, TimeUnit.SECONDS)) {
            return null;
        }
        try {
            return waiting.pollFirst();
        } finally {
            lock.unlock();
        }
    }
}
