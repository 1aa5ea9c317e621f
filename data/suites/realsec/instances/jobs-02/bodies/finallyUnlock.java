public void add(Job job) {
    lock.lock();
    try {
        if (waiting.size() >= capacity) {
            throw new IllegalStateException("the queue is full");
        }
        waiting.addLast(job);
    } finally {
        lock.unlock();
    }
}
