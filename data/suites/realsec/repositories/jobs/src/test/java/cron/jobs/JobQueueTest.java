package cron.jobs;

import static org.junit.jupiter.api.Assertions.*;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class JobQueueTest {
    private static Job job(String name) {
        return new Job(name, List.of());
    }

    @Test
    void firstInFirstOut() throws Exception {
        JobQueue queue = new JobQueue(2);
        queue.add(job("a"));
        queue.add(job("b"));
        assertEquals("a", queue.next().name());
        assertEquals("b", queue.next().name());
        assertNull(queue.next());
    }

    @Test
    void aFullQueueRefuses() throws Exception {
        JobQueue queue = new JobQueue(1);
        queue.add(job("a"));
        assertThrows(IllegalStateException.class, () -> queue.add(job("b")));
        assertEquals("a", queue.next().name());
    }

    @Test
    void aRefusalDoesNotStopOtherWorkers() throws Exception {
        JobQueue queue = new JobQueue(1);
        queue.add(job("a"));
        try {
            queue.add(job("b"));
        } catch (IllegalStateException full) {
            // expected
        }
        CompletableFuture<Job> other = CompletableFuture.supplyAsync(() -> {
            try {
                return queue.next();
            } catch (InterruptedException stop) {
                return null;
            }
        });
        assertEquals(job("a"), other.get(5, TimeUnit.SECONDS));
    }
}
