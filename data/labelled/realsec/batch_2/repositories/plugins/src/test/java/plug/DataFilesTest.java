package plug;

import static org.junit.jupiter.api.Assertions.*;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataFilesTest {
    @TempDir
    Path top;

    private DataFiles files;

    @BeforeEach
    void fill() throws IOException {
        Path own = Files.createDirectories(top.resolve("shout/words"));
        Files.writeString(own.resolve("loud.txt"), "HEY");
        Files.writeString(top.resolve("shout/read.me"), "about");
        Files.createDirectories(top.resolve("shouting"));
        Files.writeString(top.resolve("shouting/key"), "opens doors");
        Files.writeString(top.resolve("key"), "opens doors");
        files = new DataFiles(top.resolve("shout").toAbsolutePath());
    }

    @Test
    void reads() throws IOException {
        assertEquals("HEY", files.text("words/loud.txt"));
        assertEquals("about", files.text("read.me"));
        assertEquals(2, files.count());
    }

    @Test
    void whatIsNotThere() {
        assertThrows(IOException.class, () -> files.text("words/quiet.txt"));
    }

    private void keptBack(String name) {
        String text;
        try {
            text = files.text(name);
        } catch (IOException | RuntimeException refused) {
            text = "";
        }
        assertFalse(text.contains("doors"), name);
    }

    @Test
    void aboveIsNotRead() {
        keptBack("../key");
        keptBack(top.resolve("key").toAbsolutePath().toString());
        keptBack("../shouting/key");
    }

    @Test
    void norOnAnotherWay() {
        keptBack("words/../../key");
        keptBack("./../key");
        keptBack("words/../../shouting/key");
    }
}
