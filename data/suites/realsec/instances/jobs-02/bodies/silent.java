public void add(Job job) {
    lock.lock();
    try {
        if (waiting.size() < capacity) {
            waiting.addLast(job);
        }
    } finally {
        lock.unlock();
    }
}
