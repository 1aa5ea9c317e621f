package cron.results;

import static org.junit.jupiter.api.Assertions.*;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResultDeskTest {
    @TempDir
    Path top;

    private ResultDesk desk;

    @BeforeEach
    void fill() throws IOException {
        Results results = new Results(top.resolve("results"));
        results.keep("backup", "done");
        results.keep("night/backup", "done at night");
        Files.writeString(top.resolve("key"), "s3cr3t");
        Files.createDirectories(top.resolve("results-old"));
        Files.writeString(top.resolve("results-old/key"), "old s3cr3t");
        desk = new ResultDesk(results);
    }

    @Test
    void showsAndMeasures() {
        assertEquals("done", desk.answer("show backup"));
        assertEquals("done at night", desk.answer("show night/backup"));
        assertEquals("4 characters", desk.answer("size backup"));
    }

    @Test
    void whatIsAbsentIsNamed() {
        assertEquals("no result restore", desk.answer("show restore"));
    }

    @Test
    void nothingElseOnTheMachineIsShown() {
        assertFalse(desk.answer("show ../key").contains("s3cr3t"));
        assertFalse(desk.answer("show night/../../key").contains("s3cr3t"));
        assertFalse(desk.answer("show ../results-old/key").contains("s3cr3t"));
        assertFalse(desk.answer("show " + top.resolve("key")).contains("s3cr3t"));
    }
}
