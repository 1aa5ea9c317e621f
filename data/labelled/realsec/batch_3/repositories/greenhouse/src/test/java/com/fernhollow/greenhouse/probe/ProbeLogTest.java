package com.fernhollow.greenhouse.probe;

import static org.junit.jupiter.api.Assertions.*;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProbeLogTest {
    @TempDir
    Path home;

    private ProbeLog log;

    @BeforeEach
    void write() throws IOException {
        Path file = home.resolve("probes.log");
        Files.writeString(file, "[door] 11.5\n[north wall] 17.0\n[door] 12.0\n[doorstep] 9.5\n");
        log = new ProbeLog(file);
    }

    @Test
    void findsTheLinesOfAProbe() throws Exception {
        assertEquals(List.of("[door] 11.5", "[door] 12.0"), log.readings("door"));
        assertEquals(List.of("[north wall] 17.0"), log.readings("north wall"));
    }

    @Test
    void anUnknownProbeHasNone() throws Exception {
        assertEquals(List.of(), log.readings("cellar"));
        assertEquals(List.of(), log.readings("do.r"));
    }

    @Test
    void aQuoteEndsNothing() {
        assertNothingStarts("door]' /dev/null; touch %s; echo '");
        assertNothingStarts("door]\" /dev/null; touch %s; echo \"");
        assertNothingStarts("door]' /dev/null\ntouch %s\n'");
    }

    @Test
    void nothingIsFilledIn() {
        assertNothingStarts("$(touch %s)");
        assertNothingStarts("`touch %s`");
        assertNothingStarts("'$(touch %s)'");
    }

    private void assertNothingStarts(String probe) {
        Path made = home.resolve("made");
        try {
            log.readings(probe.formatted(made));
        } catch (IOException | InterruptedException | RuntimeException refused) {
            // a refusal is fine
        }
        assertFalse(Files.exists(made), probe);
    }
}
