public String get(String name, Supplier<String> fetch) {
    lock.lock();
    String list = lists.get(name);
    if (list == null) {
        try {
            list = fetch.get();
        } catch (RuntimeException failed) {
            lock.unlock();
            throw failed;
        }
        lists.put(name, list);
    }
    lock.unlock();
    return list;
}
