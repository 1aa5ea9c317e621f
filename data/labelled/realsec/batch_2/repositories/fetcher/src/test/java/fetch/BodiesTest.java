package fetch;

import static org.junit.jupiter.api.Assertions.*;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.junit.jupiter.api.Test;

class BodiesTest {
    private final Bodies bodies = new Bodies();

    @Test
    void readsABody() throws IOException {
        byte[] body = "tea 300\n".repeat(1000).getBytes();
        assertArrayEquals(body, bodies.read(new Answer(200, body.length, new ByteArrayInputStream(body))));
        assertArrayEquals(body, bodies.read(new Answer(200, -1, new ByteArrayInputStream(body))));
    }

    @Test
    void theLargestAndTheSmallest() throws IOException {
        byte[] most = new byte[Bodies.MOST];
        assertArrayEquals(most, bodies.read(new Answer(200, most.length, new ByteArrayInputStream(most))));
        assertEquals(0, bodies.read(new Answer(200, 0, InputStream.nullInputStream())).length);
    }

    /** Goes on for long, and counts what was taken. */
    private static final class Flood extends InputStream {
        private long taken;

        @Override
        public int read() {
            return ++taken > 40_000_000 ? -1 : 'x';
        }

        @Override
        public int read(byte[] into, int from, int length) {
            if (taken > 40_000_000) {
                return -1;
            }
            taken += length;
            return length;
        }
    }

    private void soonEnough(long length) {
        Flood flood = new Flood();
        assertThrows(IOException.class, () -> bodies.read(new Answer(200, length, flood)));
        assertTrue(flood.taken < 4_000_000, flood.taken + " bytes");
    }

    @Test
    void aFloodIsCutOff() {
        soonEnough(40_000_000);
    }

    @Test
    void whateverTheSenderSays() {
        soonEnough(-1);
        soonEnough(100);
    }
}
