public void report(String name, Progress progress) {
    lock.writeLock().lock();
    try {
        percents.put(name, Math.max(0, Math.min(100, progress.percent(name))));
        lock.writeLock().unlock();
    } catch (IllegalArgumentException wrong) {
        lock.writeLock().unlock();
        throw wrong;
    }
}
