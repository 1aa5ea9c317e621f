public void report(String name, Progress progress) {
    Integer percent = Math.max(0, Math.min(100, progress.percent(name)));
    lock.writeLock().lock();
    percents.put(name, percent);
    lock.writeLock().unlock();
}
