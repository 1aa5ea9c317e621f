package fetch;

import static org.junit.jupiter.api.Assertions.*;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CacheTest {
    private final Cache cache = new Cache();

    @Test
    void fetchesOnce() {
        assertEquals("tea", cache.get("may", () -> "tea"));
        assertEquals("tea", cache.get("may", () -> "milk"));
        assertEquals("milk", cache.get("june", () -> "milk"));
        assertEquals(2, cache.size());
    }

    @Test
    void twoThreadsFetchOnce() throws Exception {
        java.util.concurrent.atomic.AtomicInteger fetched =
                new java.util.concurrent.atomic.AtomicInteger();
        Runnable get = () -> cache.get("may", () -> {
            fetched.incrementAndGet();
            try {
                Thread.sleep(200);
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
            }
            return "tea";
        });
        Thread one = new Thread(get), two = new Thread(get);
        one.start();
        two.start();
        one.join(4000);
        two.join(4000);
        assertEquals(1, fetched.get());
    }

    private void stillServes() throws Exception {
        CompletableFuture<String> other = new CompletableFuture<>();
        Thread thread = new Thread(() -> other.complete(cache.get("june", () -> "milk")));
        thread.setDaemon(true);
        thread.start();
        assertEquals("milk", other.get(4, TimeUnit.SECONDS));
    }

    @Test
    void aFailedFetchStopsNobody() throws Exception {
        assertThrows(IllegalStateException.class, () -> cache.get("may", () -> {
            throw new IllegalStateException("partner is away");
        }));
        stillServes();
    }

    @Test
    void norDoesAnError() throws Exception {
        assertThrows(StackOverflowError.class, () -> cache.get("may", () -> {
            throw new StackOverflowError();
        }));
        stillServes();
    }
}
