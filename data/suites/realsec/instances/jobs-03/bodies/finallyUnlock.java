public void report(String name, Progress progress) {
    lock.writeLock().lock();
    try {
        int percent = progress.percent(name);
        percents.put(name, Math.max(0, Math.min(100, percent)));
    } finally {
        lock.writeLock().unlock();
    }
}
