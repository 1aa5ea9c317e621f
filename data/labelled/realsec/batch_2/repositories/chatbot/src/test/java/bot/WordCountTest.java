package bot;

import static org.junit.jupiter.api.Assertions.*;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class WordCountTest {
    private final WordCount words = new WordCount();

    @Test
    void counts() throws IOException {
        assertEquals(0, words.count(""));
        assertEquals(3, words.count("to  be sure"));
        assertEquals(2, words.count("\u00e4pfel, birnen"));
    }

    @Test
    void answersInTheRoom() throws IOException {
        Message message = new Message("ina", "den", "!count one two");
        assertEquals("2 words", new Bot().read(message).orElseThrow());
    }

    private void runsNothing(String before, String after) throws IOException {
        Path mark = Path.of("mark" + System.nanoTime()).toAbsolutePath();
        try {
            words.count(before + "touch " + mark + after);
        } catch (IOException | RuntimeException refused) {
            // it may refuse
        }
        assertFalse(Files.exists(mark));
    }

    @Test
    void aPhraseIsNoCommand() throws IOException {
        runsNothing("a\"; ", "; echo \"");
        runsNothing("a\" | ", " #");
    }

    @Test
    void norIsWhatStandsInIt() throws IOException {
        runsNothing("a $(", ") b");
        runsNothing("a `", "` b");
        runsNothing("a'\n", "\n'");
    }
}
