public String get(String name, Supplier<String> fetch) {
    lock.lock();
    try {
        return lists.computeIfAbsent(name, unknown -> fetch.get());
    } finally {
        lock.unlock();
    }
}
