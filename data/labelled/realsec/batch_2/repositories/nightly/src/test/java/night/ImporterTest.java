package night;

import static org.junit.jupiter.api.Assertions.*;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ImporterTest {
    private final List<String> open = new ArrayList<>();
    private final Map<String, String> files = Map.of("a", "1\n\n2.5\n", "b", "3\nfour\n5\n", "c", "");

    private final Inbox inbox = new Inbox() {
        @Override
        public List<String> names() {
            return List.of("a", "b", "c");
        }

        @Override
        public BufferedReader open(String name) {
            open.add(name);
            boolean torn = name.equals("torn");
            return new BufferedReader(new StringReader(files.getOrDefault(name, "1\n"))) {
                @Override
                public String readLine() throws IOException {
                    if (torn) {
                        throw new IOException("the line is dead");
                    }
                    return super.readLine();
                }

                @Override
                public void close() throws IOException {
                    open.remove(name);
                    super.close();
                }
            };
        }
    };

    private final Importer importer = new Importer(inbox);

    @Test
    void countsReadings() throws IOException {
        assertEquals(2, importer.read("a"));
        assertEquals(0, importer.read("c"));
        assertEquals(List.of(), open);
    }

    @Test
    void leavesWhatIsBroken() throws IOException {
        assertEquals("x: 2 readings in 2 files", importer.readAll("x").line());
        assertThrows(NumberFormatException.class, () -> importer.read("b"));
    }

    @Test
    void aBrokenFileIsClosed() {
        assertThrows(NumberFormatException.class, () -> importer.read("b"));
        assertEquals(List.of(), open);
    }

    @Test
    void soIsATornOne() {
        assertThrows(IOException.class, () -> importer.read("torn"));
        assertEquals(List.of(), open);
    }
}
