public String get(String name, Supplier<String> fetch) {
    lock.lock();
    String list = lists.get(name);
    if (list == null) {
        list = fetch.get();
        lists.put(name, list);
    }
    lock.unlock();
    return list;
}
