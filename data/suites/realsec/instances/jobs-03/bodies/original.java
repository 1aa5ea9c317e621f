public void report(String name, Progress progress) {
    lock.writeLock().lock();
    int percent = progress.percent(name);
    percents.put(name, Math.max(0, Math.min(100, percent)));
    lock.writeLock().unlock();
}
