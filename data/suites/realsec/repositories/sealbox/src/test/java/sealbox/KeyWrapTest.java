package sealbox;

import static org.junit.jupiter.api.Assertions.*;

import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class KeyWrapTest {
    private static KeyPair pair;
    private final SecretKey key = new SecretKeySpec("0123456789abcdef".getBytes(), "AES");
    private final KeyWrap wrap = new KeyWrap();

    @BeforeAll
    static void generate() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(1024); // small, for the test only
        pair = generator.generateKeyPair();
    }

    @Test
    void wrapsAndUnwraps() throws GeneralSecurityException {
        Envelope envelope = wrap.wrap(key, pair.getPublic());
        assertEquals(key, wrap.unwrap(Envelope.of(envelope.line()), pair.getPrivate()));
        assertEquals(128, envelope.data().length);
    }

    @Test
    void unwrapsOnlyKeys() {
        Envelope other = new Envelope("AES/ECB/PKCS5Padding", new byte[0], new byte[16]);
        assertThrows(GeneralSecurityException.class, () -> wrap.unwrap(other, pair.getPrivate()));
    }

    /** Under PKCS#1 v1.5 a plain block begins 00 02; the bytes of OAEP are masked. */
    @Test
    void theBlockHasNoKnownBeginning() throws GeneralSecurityException {
        Cipher raw = Cipher.getInstance("RSA/ECB/NoPadding");
        raw.init(Cipher.DECRYPT_MODE, pair.getPrivate());
        int typical = 0;
        for (int i = 0; i < 4; i++) {
            byte[] block = raw.doFinal(wrap.wrap(key, pair.getPublic()).data());
            int skip = block.length - 127;
            typical += block.length >= 127 && block[skip] == 2 ? 1 : 0;
        }
        assertTrue(typical < 4, "every block is padded as PKCS#1 v1.5 does");
    }

    @Test
    void equalKeysLookDifferent() throws GeneralSecurityException {
        assertNotEquals(wrap.wrap(key, pair.getPublic()), wrap.wrap(key, pair.getPublic()));
    }
}
