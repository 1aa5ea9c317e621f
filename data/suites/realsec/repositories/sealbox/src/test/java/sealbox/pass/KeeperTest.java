package sealbox.pass;

import static org.junit.jupiter.api.Assertions.*;

import java.security.MessageDigest;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class KeeperTest {
    private final Keeper keeper = new Keeper();

    @Test
    void checksPassphrases() throws Exception {
        keeper.set("mia", "open sesame");
        assertTrue(keeper.check("mia", "open sesame"));
        assertFalse(keeper.check("mia", "open sesam"));
        assertFalse(keeper.check("ben", "open sesame"));
    }

    @Test
    void shortOnesAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> keeper.set("mia", "abc"));
    }

    @Test
    void equalPassphrasesAreStoredDifferently() throws Exception {
        byte[] one = keeper.hash("open sesame").hash();
        assertFalse(Arrays.equals(one, keeper.hash("open sesame").hash()));
    }

    @Test
    void oneDigestIsNotEnough() throws Exception {
        PassHash stored = keeper.hash("open sesame");
        assertTrue(stored.iterations() >= 10_000, "an attacker guesses too fast");
        for (String weak : new String[] {"MD5", "SHA-1", "SHA-256", "SHA-512"}) {
            MessageDigest digest = MessageDigest.getInstance(weak);
            digest.update(stored.salt());
            assertFalse(Arrays.equals(stored.hash(), digest.digest("open sesame".getBytes())));
        }
    }
}
