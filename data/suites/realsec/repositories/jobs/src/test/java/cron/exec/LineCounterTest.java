package cron.exec;

import static org.junit.jupiter.api.Assertions.*;

import cron.jobs.Job;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LineCounterTest {
    private final Tools tools = new Tools(List.of("/usr/bin", "/bin"));
    private Path upload;

    @BeforeEach
    void make() throws IOException {
        upload = Files.createDirectory(Path.of("upload" + System.nanoTime()).toAbsolutePath());
        Files.writeString(upload.resolve("a.txt"), "one\ntwo\nthree\n");
    }

    private int count(String file) throws IOException {
        return new LineCounter(new CommandRunner(), tools)
                .count(upload.toFile(), new Job("count", List.of(file)));
    }

    @Test
    void counts() throws IOException {
        assertEquals(3, count("a.txt"));
    }

    @Test
    void whatIsNotThereIsNotFound() {
        assertThrows(IOException.class, () -> tools.find(upload.toFile(), "no-such-tool"));
        assertThrows(IOException.class,
                () -> new Tools(List.of("/usr/lib")).find(upload.toFile(), "wc"));
    }

    @Test
    void anUploadedProgramIsNotRun() throws IOException {
        Path planted = upload.resolve("wc");
        Files.writeString(planted, "#!/bin/sh\ntouch ran\necho 99 a.txt\n");
        assertTrue(planted.toFile().setExecutable(true));
        int lines;
        try {
            lines = count("a.txt");
        } catch (IOException | RuntimeException refused) {
            lines = 3;
        }
        assertFalse(Files.exists(upload.resolve("ran")));
        assertEquals(3, lines);
    }

    @Test
    void aToolIsNamedByItsWholePath() throws IOException {
        assertTrue(new File(tools.find(upload.toFile(), "wc")).isAbsolute());
    }
}
