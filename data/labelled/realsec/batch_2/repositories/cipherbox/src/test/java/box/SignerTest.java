package box;

import static org.junit.jupiter.api.Assertions.*;

import java.security.GeneralSecurityException;
import java.security.interfaces.RSAKey;
import org.junit.jupiter.api.Test;

class SignerTest {
    @Test
    void knowsItsSignature() throws GeneralSecurityException {
        Signer signer = new Signer(false);
        byte[] signed = signer.sign("yes".getBytes());
        assertTrue(signer.verify("yes".getBytes(), signed));
        assertFalse(signer.verify("no".getBytes(), signed));
    }

    @Test
    void everySignerHasItsOwnPair() throws GeneralSecurityException {
        assertNotEquals(Signer.pair(false).getPublic(), Signer.pair(false).getPublic());
    }

    private static int bits(boolean archive) throws GeneralSecurityException {
        return ((RSAKey) Signer.pair(archive).getPublic()).getModulus().bitLength();
    }

    @Test
    void lettersHaveALongKey() throws GeneralSecurityException {
        assertTrue(bits(false) >= 2048);
    }

    @Test
    void soHasTheArchive() throws GeneralSecurityException {
        assertTrue(bits(true) >= 2048);
    }
}
