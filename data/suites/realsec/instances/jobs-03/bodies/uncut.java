public void report(String name, Progress progress) {
    lock.writeLock().lock();
    try {
        percents.put(name, progress.percent(name));
    } finally {
        lock.writeLock().unlock();
    }
}
