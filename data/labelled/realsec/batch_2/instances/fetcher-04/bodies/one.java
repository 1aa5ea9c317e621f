public String get(String name, Supplier<String> fetch) {
    lock.lock();
    String list = lists.get(name);
    try {
        if (list == null) {
            list = fetch.get();
            lists.put(name, list);
        }
    } catch (Throwable failed) {
        lock.unlock();
        throw failed;
    }
    lock.unlock();
    return list;
}
