public void report(String name, Progress progress) {
    writeLock.lock();
    try {
        percents.put(name, Math.max(0, Math.min(100, progress.percent(name))));
    } finally {
        writeLock.unlock();
    }
}
