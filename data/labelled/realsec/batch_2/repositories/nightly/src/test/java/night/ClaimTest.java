package night;

import static org.junit.jupiter.api.Assertions.*;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ClaimTest {
    /** Whoever asks first waits for a moment, so that another may ask meanwhile. */
    private static final class Wall implements Board {
        private final Map<String, String> notes = new ConcurrentHashMap<>();
        private final CountDownLatch asked = new CountDownLatch(2);

        private void pause() {
            asked.countDown();
            try {
                asked.await(800, TimeUnit.MILLISECONDS);
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public boolean has(String note) {
            boolean there = notes.containsKey(note);
            pause();
            return there;
        }

        @Override
        public void put(String note, String text) {
            notes.put(note, text);
        }

        @Override
        public boolean putIfAbsent(String note, String text) {
            return notes.putIfAbsent(note, text) == null;
        }

        @Override
        public String get(String note) {
            String text = notes.get(note);
            pause();
            return text;
        }
    }

    @Test
    void oneAfterTheOther() {
        Board wall = new Wall();
        assertTrue(new Claim(wall, "m1").take("mon"));
        assertFalse(new Claim(wall, "m2").take("mon"));
        assertTrue(new Claim(wall, "m2").take("tue"));
    }

    @Test
    void knowsWhoseNightItIs() {
        Board wall = new Wall();
        new Claim(wall, "m1").take("mon");
        assertTrue(new Claim(wall, "m1").isMine("mon"));
        assertFalse(new Claim(wall, "m2").isMine("mon"));
    }

    private static int winners(Board wall) throws InterruptedException {
        AtomicInteger winners = new AtomicInteger();
        Thread[] machines = new Thread[2];
        for (int i = 0; i < 2; i++) {
            Claim claim = new Claim(wall, "m" + i);
            machines[i] = new Thread(() -> winners.addAndGet(claim.take("mon") ? 1 : 0));
            machines[i].start();
        }
        for (Thread machine : machines) {
            machine.join(6000);
        }
        return winners.get();
    }

    @Test
    void oneOfTwoAtOnce() throws InterruptedException {
        assertEquals(1, winners(new Wall()));
    }
}
