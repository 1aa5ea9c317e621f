package depot.store;

import static org.junit.jupiter.api.Assertions.*;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class QuotaTest {
    /** Keeps a caller of used() until a second one has come, or for a while. */
    private static final class SlowMeter implements Meter {
        final AtomicLong used = new AtomicLong();
        final CountDownLatch two = new CountDownLatch(2);

        public long used() {
            long seen = used.get();
            two.countDown();
            try {
                two.await(1000, TimeUnit.MILLISECONDS);
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
            }
            return seen;
        }

        public void add(long bytes) {
            used.addAndGet(bytes);
        }
    }

    private static Meter plain() {
        AtomicLong used = new AtomicLong();
        return new Meter() {
            public long used() {
                return used.get();
            }

            public void add(long bytes) {
                used.addAndGet(bytes);
            }
        };
    }

    @Test
    void reservesUpToTheQuota() {
        Quota quota = new Quota(plain(), 100);
        assertTrue(quota.reserve(60));
        assertFalse(quota.reserve(41));
        assertTrue(quota.reserve(40));
        assertEquals(0, quota.left());
    }

    @Test
    void twoAtOnceDoNotBothGetTheLastBytes() throws Exception {
        SlowMeter meter = new SlowMeter();
        Quota quota = new Quota(meter, 100);
        AtomicInteger granted = new AtomicInteger();
        Runnable ask = () -> {
            if (quota.reserve(80)) {
                granted.incrementAndGet();
            }
        };
        Thread one = new Thread(ask), two = new Thread(ask);
        one.start();
        two.start();
        one.join(5000);
        two.join(5000);
        assertTrue(granted.get() <= 1, granted + " were granted");
        assertTrue(meter.used.get() <= 100, meter.used + " of 100 bytes are in use");
    }
}
