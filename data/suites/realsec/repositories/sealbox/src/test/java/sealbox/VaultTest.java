package sealbox;

import static org.junit.jupiter.api.Assertions.*;

import java.util.Arrays;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

class VaultTest {
    private final SecretKey key = new SecretKeySpec("0123456789abcdef".getBytes(), "AES");
    private final Vault vault = new Vault(key);

    @Test
    void keepsNotes() throws Exception {
        vault.put("a", "Grüße");
        vault.put("b", "");
        assertEquals("Grüße", vault.get("a"));
        assertEquals("", vault.get("b"));
        assertNull(vault.get("c"));
    }

    @Test
    void anEnvelopeNamesItsAlgorithm() throws Exception {
        vault.put("a", "text");
        assertTrue(vault.stored("a").algorithm().startsWith("AES"));
        assertFalse(new String(vault.stored("a").data()).contains("text"));
    }

    @Test
    void equalBlocksLookDifferent() throws Exception {
        vault.put("a", "sixteen letters.".repeat(4));
        byte[] data = vault.stored("a").data();
        assertFalse(Arrays.equals(Arrays.copyOfRange(data, 0, 16), Arrays.copyOfRange(data, 16, 32)));
    }

    @Test
    void equalNotesLookDifferent() throws Exception {
        vault.put("a", "sixteen letters. and more");
        vault.put("b", "sixteen letters. and more");
        assertNotEquals(vault.stored("a"), vault.stored("b"));
    }

    @Test
    void aChangedNoteIsNotOpened() throws Exception {
        vault.put("a", "sixteen letters. and more");
        Envelope good = vault.stored("a");
        byte[] changed = good.data().clone();
        changed[3] ^= 1;
        Envelope bad = new Envelope(good.algorithm(), good.iv(), changed);
        assertThrows(java.security.GeneralSecurityException.class,
                () -> new NoteCipher().open(bad, key));
    }
}
