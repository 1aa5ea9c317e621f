public void add(Job job) {
    lock.lock();
    if (waiting.size() >= capacity) {
        throw new IllegalStateException("the queue is full");
    }
    waiting.addLast(job);
    lock.unlock();
}
