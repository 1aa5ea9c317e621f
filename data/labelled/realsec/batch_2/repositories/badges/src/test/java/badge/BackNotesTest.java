package badge;

import static org.junit.jupiter.api.Assertions.*;

import java.security.GeneralSecurityException;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

class BackNotesTest {
    private final BackNotes notes = new BackNotes(new SecretKeySpec("0123456789abcdef".getBytes(), "AES"));

    @Test
    void opensWhatItClosed() throws GeneralSecurityException {
        assertEquals("likes tea", notes.open(notes.close("likes tea")));
        assertEquals("", notes.open(notes.close("")));
    }

    @Test
    void longNotesToo() throws GeneralSecurityException {
        String text = "\u00e4 long note ".repeat(40);
        assertEquals(text, notes.open(notes.close(text)));
    }

    @Test
    void repetitionDoesNotShow() throws GeneralSecurityException {
        byte[] note = notes.close("a".repeat(160));
        Set<String> blocks = new HashSet<>();
        for (int i = 16; i + 16 <= note.length; i += 16) {
            assertTrue(blocks.add(HexFormat.of().formatHex(note, i, i + 16)));
        }
    }

    @Test
    void norDoEqualNotes() throws GeneralSecurityException {
        HexFormat hex = HexFormat.of();
        byte[] one = notes.close("likes tea"), two = notes.close("likes tea");
        assertNotEquals(hex.formatHex(one, 16, one.length), hex.formatHex(two, 16, two.length));
    }
}
