package box;

import static org.junit.jupiter.api.Assertions.*;

import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

class BoxTest {
    private static Box box() throws GeneralSecurityException {
        return new BoxBuilder().longest(100).key(new SecretKeySpec(new byte[32], "AES")).build();
    }

    @Test
    void opensWhatItSealed() throws GeneralSecurityException {
        Box box = new BoxBuilder().build();
        assertEquals("dear rolf", box.open(box.seal("dear rolf")));
        Letter letter = Letter.parse(box.seal("\u00fcber").text());
        assertEquals("\u00fcber", box.open(letter));
    }

    @Test
    void longTextsAreRefused() throws GeneralSecurityException {
        assertThrows(IllegalArgumentException.class, () -> box().seal("x".repeat(101)));
        assertEquals("", box().open(box().seal("")));
    }

    @Test
    void equalTextsLookDifferent() throws GeneralSecurityException {
        Box box = box();
        assertNotEquals(box.seal("yes").text(), box.seal("yes").text());
    }

    @Test
    void alsoFromTwoBoxes() throws GeneralSecurityException {
        assertFalse(Arrays.equals(box().seal("yes").sealed(), box().seal("yes").sealed()));
    }
}
