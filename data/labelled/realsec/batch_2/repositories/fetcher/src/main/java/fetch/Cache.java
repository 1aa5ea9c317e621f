package fetch;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** Lists that were fetched, shared by all threads. */
public class Cache {
    private final Map<String, String> lists = new HashMap<>();
    private final Lock lock = new ReentrantLock();

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

    public int size() {
        lock.lock();
        try {
            return lists.size();
        } finally {
            lock.unlock();
        }
    }
}
