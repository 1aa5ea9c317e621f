public void add(Job job) {
    boolean added = false;
    lock.lock();
    try {
        if (waiting.size() >= capacity) {
            throw new IllegalStateException("the queue is full");
        }
        waiting.addLast(job);
        added = true;
    } finally {
        if (added) {
            lock.unlock();
        }
    }
}
