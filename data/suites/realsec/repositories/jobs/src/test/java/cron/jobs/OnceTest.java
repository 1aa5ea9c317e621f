package cron.jobs;

import static org.junit.jupiter.api.Assertions.*;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class OnceTest {
    /** Holds the first caller of contains back until a second has asked, or for a while. */
    private static final class Shared implements Started {
        final Set<String> names = ConcurrentHashMap.newKeySet();
        final CountDownLatch asked = new CountDownLatch(2);

        public boolean contains(String name) {
            boolean there = names.contains(name);
            asked.countDown();
            try {
                asked.await(1000, TimeUnit.MILLISECONDS);
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
            }
            return there;
        }

        public boolean add(String name) {
            return names.add(name);
        }
    }

    @Test
    void runsOnce() {
        Once once = new Once(new Shared());
        AtomicInteger runs = new AtomicInteger();
        assertTrue(once.run("a", runs::incrementAndGet));
        assertFalse(once.run("a", runs::incrementAndGet));
        assertTrue(once.run("b", runs::incrementAndGet));
        assertEquals(2, runs.get());
    }

    @Test
    void aJobIsMarkedBeforeItRuns() {
        Shared shared = new Shared();
        new Once(shared).run("a", () -> assertTrue(shared.names.contains("a")));
    }

    @Test
    void twoWorkersDoNotBothRunIt() throws Exception {
        Shared shared = new Shared();
        Once once = new Once(shared);
        AtomicInteger runs = new AtomicInteger();
        Thread one = new Thread(() -> once.run("pay", runs::incrementAndGet));
        Thread two = new Thread(() -> once.run("pay", runs::incrementAndGet));
        one.start();
        two.start();
        one.join(5000);
        two.join(5000);
        assertTrue(runs.get() <= 1, "the job ran " + runs + " times");
    }
}
