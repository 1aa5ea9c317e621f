package cron.jobs;

import static org.junit.jupiter.api.Assertions.*;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BoardTest {
    private final Board board = new Board();

    @Test
    void keepsWhatWasReported() {
        board.report("a", name -> 40);
        board.report("a", name -> 70);
        assertEquals(70, board.percentOf("a"));
        assertEquals(0, board.percentOf("b"));
    }

    @Test
    void percentsStayInRange() {
        board.report("a", name -> 180);
        board.report("b", name -> -3);
        assertEquals(100, board.percentOf("a"));
        assertEquals(0, board.percentOf("b"));
    }

    @Test
    void aFailingJobDoesNotStopReaders() throws Exception {
        try {
            board.report("a", name -> {
                throw new IllegalStateException("job is gone");
            });
        } catch (IllegalStateException failed) {
            // it may rise
        }
        CompletableFuture<Integer> reader = new CompletableFuture<>();
        Thread thread = new Thread(() -> reader.complete(board.percentOf("a")));
        thread.setDaemon(true);
        thread.start();
        assertEquals(0, reader.get(3, TimeUnit.SECONDS));
    }
}
