package post;

import static org.junit.jupiter.api.Assertions.*;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ArchiveTest {
    @TempDir
    Path folder;

    private Archive archive;

    @BeforeEach
    void write() throws IOException {
        archive = new Archive(folder);
        archive.send(List.of("ina", "rolf"), "the picnic is in June");
        Files.writeString(folder.resolve("members.key"), "picnic\n");
    }

    @Test
    void findsLetters() throws IOException {
        assertEquals(List.of("1.txt", "2.txt"), archive.search("picnic"));
        assertEquals(List.of("2.txt"), archive.search("To rolf"));
    }

    @Test
    void findsNothing() throws IOException {
        assertEquals(List.of(), archive.search("j.ne"));
        assertEquals(List.of(), archive.search("winter"));
    }

    private void nothing(String word) {
        List<String> letters;
        try {
            letters = archive.search(word);
        } catch (IOException | RuntimeException refused) {
            letters = List.of();
        }
        assertEquals(List.of(), letters, word);
    }

    @Test
    void aWordReadsNoOtherFile() {
        nothing("--file=members.key");
        nothing("--files-without-match");
    }

    @Test
    void norInShort() {
        nothing("-fmembers.key");
        nothing("-L");
    }
}
