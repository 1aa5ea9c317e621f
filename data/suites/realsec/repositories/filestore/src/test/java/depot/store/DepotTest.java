package depot.store;

import static org.junit.jupiter.api.Assertions.*;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DepotTest {
    private Path base;
    private Depot depot;

    @BeforeEach
    void make() throws IOException {
        base = Files.createTempDirectory("depot");
        depot = new Depot(base.resolve("mia"));
        Files.createDirectories(base.resolve("mia-private"));
        Files.writeString(base.resolve("mia-private/key.txt"), "sesame");
        Files.writeString(base.resolve("other.txt"), "outside");
    }

    @Test
    void writesAndReads() throws IOException {
        depot.write("notes/a.txt", "hello");
        assertEquals("hello", depot.read("notes/a.txt"));
        assertEquals("hello", depot.read("notes/../notes/./a.txt"));
    }

    @Test
    void deletes() throws IOException {
        depot.write("a.txt", "hello");
        depot.delete("a.txt");
        assertThrows(NoSuchFileException.class, () -> depot.read("a.txt"));
    }

    @Test
    void resolvesBelowTheRoot() throws IOException {
        assertEquals(depot.root().resolve("x/y"), depot.resolve("x/y"));
        assertThrows(NoSuchFileException.class, () -> depot.resolve("../other.txt"));
    }

    @Test
    void aSiblingWithTheSameBeginningIsOutside() {
        assertNotEquals("sesame", readOrNothing("../mia-private/key.txt"));
        try {
            depot.write("../mia-public/key.txt", "x");
        } catch (IOException refused) {
            // refusing is fine, and so is a file below the root
        }
        assertFalse(Files.exists(base.resolve("mia-public")));
    }

    @Test
    void anAbsolutePathIsOutside() {
        String path = base.resolve("mia-private/key.txt").toString();
        assertNotEquals("sesame", readOrNothing(path));
    }

    private String readOrNothing(String name) {
        try {
            return depot.read(name);
        } catch (IOException refused) {
            return "";
        }
    }
}
