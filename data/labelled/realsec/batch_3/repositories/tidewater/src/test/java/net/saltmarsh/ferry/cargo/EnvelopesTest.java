package net.saltmarsh.ferry.cargo;

import static org.junit.jupiter.api.Assertions.*;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class EnvelopesTest {
    private final Envelopes envelopes =
            new Envelopes("kept at the pier".getBytes(StandardCharsets.US_ASCII));

    @Test
    void opensWhatItClosed() throws GeneralSecurityException {
        for (int length : new int[] {0, 1, 15, 16, 17, 500}) {
            byte[] text = new byte[length];
            Arrays.fill(text, (byte) 'f');
            assertArrayEquals(text, envelopes.open(envelopes.close(text)));
        }
    }

    @Test
    void archivesAManifest() throws GeneralSecurityException {
        Manifest manifest = Manifest.of("Lee to Tern").piece("bicycle", 14).piece("crate", 80).build();
        assertEquals("Lee to Tern\nbicycle 14 kg\ncrate 80 kg", new String(
                envelopes.open(envelopes.archive(manifest)), StandardCharsets.UTF_8));
    }

    @Test
    void equalPiecesDoNotShow() throws GeneralSecurityException {
        byte[] closed = envelopes.close("sheep 60 sheep 60 ".repeat(64).getBytes(StandardCharsets.US_ASCII));
        Set<String> seen = new HashSet<>();
        for (int at = 1; at + 8 <= closed.length; at++) {
            assertTrue(seen.add(Arrays.toString(Arrays.copyOfRange(closed, at, at + 8))), "at " + at);
        }
    }

    @Test
    void equalManifestsDoNotShow() throws GeneralSecurityException {
        byte[] text = "no cargo at all".getBytes(StandardCharsets.US_ASCII);
        assertFalse(Arrays.equals(envelopes.close(text), envelopes.close(text)));
    }

    @Test
    void aChangedEnvelopeDoesNotOpen() throws GeneralSecurityException {
        byte[] closed = envelopes.close("crate 80 kg".repeat(20).getBytes(StandardCharsets.US_ASCII));
        for (int at = 1; at < closed.length; at += 7) {
            byte[] changed = closed.clone();
            changed[at] ^= 4;
            assertThrows(GeneralSecurityException.class, () -> envelopes.open(changed));
        }
    }
}
